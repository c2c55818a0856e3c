import type { Message, Native } from '../../web/widget/contract.ts'
import { createConversations } from '../../web/widget/visitor/conversations.ts'
import { openKeptValues } from '../../web/widget/visitor/kept-values.ts'
import { createOutbox } from '../../web/widget/visitor/outbox.ts'
import { createVisitorApi } from '../../web/widget/visitor/visitor-api.ts'
import { createVisitorSession } from '../../web/widget/visitor/visitor-session.ts'
import { openVisitorStream, type VisitorStream } from '../../web/widget/visitor/visitor-stream.ts'

/** A visitor's page without its panel: the widget's own code, in this process. */
export interface VisitorClient {
  /** Writes in its one conversation. */
  write(text: string): void
  /** As the browser does when it is online again. */
  reconnect(): void
  /** What it shows, oldest first, and what is not sent yet. */
  messages(): Message[]
  unsent(): number
  /** Reads the messages before those that it shows, if it was too far behind to get them all. */
  loadOlder(): Promise<void>
  stop(): void
}

/** What the widget reads of the page that it is on. */
const PAGE = { location: { href: 'https://shop.example/cart' }, document: { title: 'Your cart' } }

/** Stands in for the page of a website, until the end of the scope. */
export function standOnPage(): Disposable {
  Object.assign(globalThis, PAGE)
  return {
    [Symbol.dispose]() {
      for (const name of Object.keys(PAGE)) Reflect.deleteProperty(globalThis, name)
    },
  }
}

export function openVisitorClient(given: {
  url: string
  key: string
  origin: string
  /** The IP address, for a server that trusts us as its proxy. */
  address: string
  onSent(message: Message): void
}): VisitorClient {
  const headers = { origin: given.origin, 'x-forwarded-for': given.address }
  const request = Object.assign(
    (input: string | URL | Request, init?: RequestInit) =>
      fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } }),
    { preconnect: fetch.preconnect },
  )
  const native: Native = (name) => (name === 'fetch' ? (request as never) : globalThis[name])
  const kept = openKeptValues('', () => {
    throw new Error('Each visitor has a memory of its own.')
  })
  const api = createVisitorApi(`${given.url}/widget/${given.key}`, native, () => session.token())
  const session = createVisitorSession({ api: () => api, kept, onChange: () => {} })
  const conversations = createConversations(api)
  const conversation = crypto.randomUUID()
  let stream: VisitorStream | undefined
  const outbox = createOutbox({
    name: conversation,
    api,
    kept,
    session,
    onSent({ conversation, message }) {
      conversations.put(conversation, message)
      stream ??= openVisitorStream(
        { api, native, after: conversations.after },
        {
          event(event) {
            conversations.apply(event)
            if (event.event === 'hello') outbox.flush()
          },
          lost() {},
          forbidden() {},
          refused() {
            throw new Error('The visitor was refused.')
          },
        },
      )
      given.onSent(message)
    },
  })
  const threadOf = () => conversations.thread(conversations.find(conversation)?.id ?? '')
  return {
    write: (text) => outbox.add({ conversation, text, attachments: [], answers: {} }),
    reconnect() {
      outbox.flush()
      stream?.reconnectNow()
    },
    messages: () => threadOf()?.messages ?? [],
    unsent: () => outbox.messages().length,
    async loadOlder() {
      const id = conversations.find(conversation)?.id
      while (id !== undefined && threadOf()?.hasOlder) await conversations.loadOlder(id)
    },
    stop: () => stream?.close(),
  }
}
