/** What nodes tell each other besides commits. */
export type Topic = 'partitions' | 'shifted' | 'presence' | 'typing' | 'online' | 'notified'

/**
 * Messages between the nodes of a cluster. They may get lost; then every receiver looks at everything that is stored.
 * What isn't stored is sent again after a while. A server on SQLite has no one to talk to.
 */
export interface Bus {
  /** Tells the others which tables a commit of this node wrote. */
  announce(written: ReadonlySet<string>): void
  /** `text` has at most 7,000 bytes. */
  send(topic: Topic, text: string): void
  /** Calls with what other nodes send. Returns how to end it. */
  on(topic: Topic, call: (text: string, nodeId: string) => void): () => void
  /** Whether nothing is missed at the moment. */
  isWhole(): boolean
}

export const noBus: Bus = {
  announce() {},
  send() {},
  on: () => () => {},
  isWhole: () => true,
}
