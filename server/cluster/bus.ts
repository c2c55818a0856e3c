/** What nodes tell each other besides commits. */
export type Topic = 'partitions' | 'presence' | 'pages' | 'visitors'

/**
 * Messages between the nodes of a cluster. They may get lost; then every receiver looks at everything that is stored.
 * What isn't stored is sent again after a while. A server on SQLite has no one to talk to.
 */
export interface Bus {
  /** Tells the others which tables a commit of this node wrote, and whose rows; undefined: anyone's. */
  announce(written: ReadonlySet<string>, orgIds: ReadonlySet<string> | undefined): void
  /** `text` has at most 7,000 bytes. */
  send(topic: Topic, text: string): void
  /** Calls with what other nodes send. Returns how to end it. */
  on(topic: Topic, call: (text: string, nodeId: string) => void): () => void
  /** Calls when another node has left, or was silent for ten seconds. Returns how to end it. */
  onGone(call: (nodeId: string) => void): () => void
  /** Calls when messages were missed, once they arrive again. Returns how to end it. */
  onMissed(call: () => void): () => void
  /** Whether nothing is missed at the moment. */
  isWhole(): boolean
}

export const noBus: Bus = {
  announce() {},
  send() {},
  on: () => () => {},
  onGone: () => () => {},
  onMissed: () => () => {},
  isWhole: () => true,
}
