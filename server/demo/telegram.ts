import { asc, eq } from 'drizzle-orm'
import { createBotApi } from '../channels/telegram/bot-api/bot-api.ts'
import { createBot } from '../channels/telegram/bots/bots.ts'
import type { Clock } from '../clock.ts'
import { matches } from '../database/matches.ts'
import { telegramChats, telegramConversations } from '../database/tables/bots.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Actor, Deps } from '../deps.ts'
import company from './company.yaml'
import { type DemoFileName, demoFile } from './files.ts'
import { type DemoOrganization, depsAt } from './organization.ts'

const TOKEN = '7000000001:DemoBotOfParcelbird'
const ME = { id: 7_000_000_001, is_bot: true, first_name: 'Parcelbird', username: company.bot.username }
const CUSTOMER = {
  id: 500_001,
  is_bot: false,
  first_name: 'Marko',
  last_name: 'Babić',
  username: 'marko_babic',
  language_code: 'hr',
}
const FIRST_UPDATE = 100_000
/** Of a method, or of a file. */
const ADDRESS = /^(\/file)?\/bot([^/]+)\/(.+)$/

/** The Bot API on this machine: it takes every message, delivers none, and has one customer who writes at the start. */
export interface DemoTelegram {
  /** For `BELLHOP_TELEGRAM_API`. */
  root: string
  token: string
  stop(): Promise<void>
}

export function startDemoTelegram(clock: Clock): DemoTelegram {
  const date = Math.floor(clock.now() / 1000)
  const updates = chat(date)
  let sent = 1_000
  const message = () => {
    sent += 1
    return { message_id: sent, date, chat: { id: CUSTOMER.id, type: 'private' } }
  }

  async function result(method: string, request: Request): Promise<unknown> {
    const params = await paramsOf(request)
    switch (method) {
      case 'getMe':
        return ME
      case 'getWebhookInfo':
        return { url: '', has_custom_certificate: false, pending_update_count: 0 }
      case 'getUpdates': {
        const newer = updates.filter(({ update_id: id }) => id >= (params.offset ?? 0))
        if (newer.length === 0) await waitFor(clock, request.signal, (params.timeout ?? 0) * 1000)
        return newer
      }
      case 'getFile':
        return { file_id: params.file_id, file_unique_id: params.file_id, file_path: params.file_id }
      case 'sendMediaGroup':
        return JSON.parse(params.media ?? '[]').map(message)
      default:
        return /^(?:send(?!ChatAction)|edit)/.test(method) ? message() : true
    }
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const [, file, token, name = ''] = ADDRESS.exec(new URL(request.url).pathname) ?? []
      if (decodeURIComponent(token ?? '') !== TOKEN) return refusal(401, 'Unauthorized')
      if (!file) return Response.json({ ok: true, result: await result(name, request) })
      const known = FILES.find((one) => one === name)
      return known ? new Response(await demoFile(known)) : refusal(404, 'Not Found')
    },
  })
  return { root: `http://127.0.0.1:${server.port}`, token: TOKEN, stop: () => server.stop(true) }
}

function refusal(status: number, description: string): Response {
  return Response.json({ ok: false, error_code: status, description }, { status })
}

interface Params {
  offset?: number
  timeout?: number
  file_id?: string
  /** JSON of a list. */
  media?: string
}

/** Only what is needed to answer. */
async function paramsOf(request: Request): Promise<Params> {
  const type = request.headers.get('content-type') ?? ''
  if (type.startsWith('application/json')) return await request.json()
  if (!type.startsWith('multipart/')) return {}
  const media = (await request.formData()).get('media')
  return typeof media === 'string' ? { media } : {}
}

function waitFor(clock: Clock, signal: AbortSignal, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
}

const FILES: DemoFileName[] = ['crushed-box.png', 'label.png', 'memo.wav']

/** What Marko writes to the bot when the demo starts. `date` is in seconds since 1970. */
function chat(date: number) {
  const from = (id: number, content: object) => ({
    message_id: id,
    date,
    from: CUSTOMER,
    chat: { ...CUSTOMER, type: 'private' },
    ...content,
  })
  const entities = [{ type: 'bold', offset: 56, length: 11 }]
  const text = 'Hi! The courier left this parcel at our door today. The vase inside is broken.'
  const photo = (name: DemoFileName) => ({
    media_group_id: 'parcel',
    photo: [{ file_id: name, file_unique_id: name, width: 360, height: 240 }],
  })
  const audio = {
    file_id: 'memo.wav',
    file_unique_id: 'memo.wav',
    duration: 3,
    file_name: 'memo.wav',
    mime_type: 'audio/wav',
  }
  const forwarded = {
    text: 'The driver wrote this to me',
    forward_origin: { type: 'hidden_user', sender_user_name: 'Courier 14', date },
    reply_to_message: from(2, { text, entities }),
  }
  return [
    { message: from(1, { text: '/start', entities: [{ type: 'bot_command', offset: 0, length: 6 }] }) },
    { message: from(2, { text: text.replace('broken', 'brokn'), entities }) },
    { message: from(3, { ...photo('crushed-box.png'), caption: 'The box and its label' }) },
    { message: from(4, photo('label.png')) },
    { edited_message: from(2, { text, entities, edit_date: date }) },
    { message: from(5, { audio }) },
    { message: from(6, forwarded) },
  ].map((update, index) => ({ update_id: FIRST_UPDATE + index, ...update }))
}

/** The id of the first customer's chat in Telegram. */
const FIRST_CHAT = 510_000

/** Connects the demo's bot to the Bot API on this machine. Returns its id. */
export async function addBot(
  deps: Deps,
  { orgId }: DemoOrganization,
  { telegram, at, actor }: { telegram: DemoTelegram; at: number; actor: Actor },
): Promise<string> {
  const api = createBotApi({ clock: deps.clock, root: telegram.root })
  try {
    const { name, greeting } = company.bot
    const bot = { name, token: telegram.token, greeting }
    return (await createBot(depsAt(deps, at, actor), api, orgId, bot)).id
  } finally {
    api.close()
  }
}

/** Gives the tickets of the channel their chats, so that answers arrive. One customer has one chat. */
export async function seedChats(deps: Deps, { orgId }: DemoOrganization, botId: string): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const rows = await tx
      .select({ ticketId: tickets.id, createdAt: tickets.createdAt, customer: customers })
      .from(tickets)
      .innerJoin(customers, eq(customers.id, tickets.customerId))
      .where(matches(tickets, { orgId, channel: 'telegram' }))
      .orderBy(asc(tickets.createdAt), asc(tickets.id))
    const chats = new Map<string, string>()
    for (const { ticketId, createdAt, customer } of rows) {
      const chatId = chats.get(customer.id) ?? String(FIRST_CHAT + chats.size)
      const chat = { orgId, botId, chatId }
      if (!chats.has(customer.id)) {
        const { name, id: customerId } = customer
        await tx.insert(telegramChats).values({ ...chat, customerId, name, createdAt })
        await tx
          .insert(customerIdentities)
          .values({ orgId, channel: 'telegram', externalId: chatId, customerId, createdAt })
      }
      chats.set(customer.id, chatId)
      await tx.insert(telegramConversations).values({ ...chat, ticketId, createdAt })
      await tx.update(telegramChats).set({ ticketId }).where(matches(telegramChats, { botId, chatId }))
    }
  })
}
