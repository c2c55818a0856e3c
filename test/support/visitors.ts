import type { NewWidget } from '../../server/channels/widget/widgets/widget-rows.ts'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { type Answer, type Bellhop, type Call, call } from './bellhop.ts'
import { type OpenStream, openEventStream } from './live.ts'

export const ORIGIN = 'https://shop.example'

export interface VisitorMessage {
  id: string
  clientId: string | null
  conversationId: string
  from: string
  agentName: string | null
  text: string
  html: string | null
  attachments: { id: string; name: string }[]
  isEmailed: boolean
  createdAt: string
}

export interface VisitorConversation {
  id: string
  clientId: string
  state: string
  preview: { text: string; isMine: boolean }
  unread: number
  agent: { name: string } | null
  agentSeenAt: string | null
  updatedAt: string
}

export interface SentMessage {
  conversation: VisitorConversation
  message: VisitorMessage
}

/** The page of a visitor, on the website of a widget. */
export interface VisitorPage {
  id: string
  token: string
  call<Json = Record<string, unknown>>(method: string, path: string, more?: Call): Promise<Answer<Json>>
  /** Sends a message; in a new conversation by default. */
  write(
    text: string,
    more?: Partial<{ conversation: string; clientId: string; body: object }>,
  ): Promise<Answer<SentMessage>>
  /** Sends one that must arrive. */
  say(text: string, conversation?: string): Promise<SentMessage>
  conversations(): Promise<{ data: VisitorConversation[]; event: number }>
  messages(
    conversation: string,
    query?: string,
  ): Promise<{
    messages: VisitorMessage[]
    hasOlder: boolean
    event: number
    conversation: VisitorConversation
  }>
  stream(after?: number): Promise<OpenStream>
}

export interface TestWidget {
  orgId: string
  id: string
  key: string
  identitySecret: string
  /** Below the address of the widget, from its website by default. */
  call<Json = Record<string, unknown>>(method: string, path: string, more?: Call): Promise<Answer<Json>>
  /** A page with a session. */
  visit(session?: object, headers?: Record<string, string>): Promise<VisitorPage>
  /** A page with a known token. */
  page(token: string, id?: string): VisitorPage
  /** The same widget on another server of the database. */
  at(url: string): TestWidget
}

let ids = 0
export function newClientId(): string {
  ids += 1
  return `client_${String(ids).padStart(6, '0')}`
}

/** A widget of an organization, and pages that use it. */
export async function openWidget(
  bellhop: Pick<Bellhop, 'deps' | 'url'>,
  orgId: string,
  settings: Partial<NewWidget> = {},
): Promise<TestWidget> {
  const { widget, identitySecret } = await createWidget(bellhop.deps, orgId, {
    name: 'Shop',
    origins: [ORIGIN],
    ...settings,
  })
  return widgetWithKey(bellhop.url, { orgId, id: widget.id, key: widget.key, identitySecret })
}

/** A widget at another server of the same database. */
export function widgetWithKey(
  url: string,
  known: Pick<TestWidget, 'orgId' | 'id' | 'key' | 'identitySecret'>,
): TestWidget {
  const base = `${url}/widget/${known.key}`
  const asked = <Json>(method: string, path: string, more: Call = {}) =>
    call<Json>(method, base + path, { ...more, headers: { origin: ORIGIN, ...more.headers } })
  const page = (token: string, id = '', given: Record<string, string> = {}): VisitorPage => {
    const headers = { authorization: `Bearer ${token}`, ...given }
    const own = <Json>(method: string, path: string, more: Call = {}) =>
      asked<Json>(method, path, { ...more, headers: { ...headers, ...more.headers } })
    const write: VisitorPage['write'] = (
      text,
      { conversation = newClientId(), clientId = newClientId(), body = {} } = {},
    ) =>
      own<SentMessage>('PUT', `/conversations/${conversation}/messages/${clientId}`, {
        body: { text, ...body },
      })
    return {
      id,
      token,
      call: own,
      write,
      async say(text, conversation) {
        const sent = await write(text, conversation === undefined ? {} : { conversation })
        if (sent.status !== 201) throw new Error(`The message was not taken: ${sent.status} ${sent.text}`)
        return sent.json
      },
      conversations: async () =>
        (await own<Awaited<ReturnType<VisitorPage['conversations']>>>('GET', '/conversations')).json,
      messages: async (conversation, query = '') =>
        (
          await own<Awaited<ReturnType<VisitorPage['messages']>>>(
            'GET',
            `/conversations/${conversation}${query}`,
          )
        ).json,
      stream: (after) =>
        openEventStream(`${base}/events${after === undefined ? '' : `?after=${after}`}`, {
          origin: ORIGIN,
          ...headers,
        }),
    }
  }
  return {
    ...known,
    call: asked,
    page,
    at: (other) => widgetWithKey(other, known),
    async visit(session = {}, headers = {}) {
      const opened = await asked<{ token: string; visitor: { id: string } }>('POST', '/session', {
        body: session,
        headers,
      })
      if (opened.status !== 201) throw new Error(`No session was opened: ${opened.status} ${opened.text}`)
      return page(opened.json.token, opened.json.visitor.id, headers)
    },
  }
}
