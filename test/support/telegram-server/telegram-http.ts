import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Fault, Faults } from './telegram-faults.ts'
import { isRecord, type MethodCall, type Methods, Refusal } from './telegram-methods.ts'
import type { TelegramBot, TelegramState } from './telegram-state.ts'

const ADDRESS = /^\/bot([^/]+)\/(\w+)$/
const FILE_ADDRESS = /^\/file\/bot([^/]+)\/(.+)$/
const WEBHOOK_PAUSE_MS = 50
const WEBHOOK_TIMEOUT_MS = 10_000

interface Given {
  state: TelegramState
  faults: Faults
  methods: Methods
  port: number
}

interface Http {
  root: string
  requests(method?: string): number
  connections(): number
  close(): Promise<void>
}

/** The addresses of the Bot API on loopback, and requests to webhooks. */
export async function startHttp({ state, faults, methods, port }: Given): Promise<Http> {
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const webhooks = new Set<TelegramBot>()
  let isClosed = false

  const server = createServer((request, response) => {
    answer(request, response).catch((error) =>
      reply(response, 500, { ok: false, description: String(error) }),
    )
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent((request.url ?? '').replace(/\?.*$/, ''))
    const file = FILE_ADDRESS.exec(path)
    if (file) return download(request, response, { token: file[1] ?? '', path: file[2] ?? '' })
    const [, token = '', name = ''] = ADDRESS.exec(path) ?? []
    const method = name.toLowerCase()
    counts.set(method, (counts.get(method) ?? 0) + 1)
    const bot = botOf(token)
    const { params, uploads } = await readBody(request)
    const chatId = Number(params.chat_id)
    const fault = faults.take({ method, token, chatId: Number.isNaN(chatId) ? undefined : chatId })
    if (fault && fault !== 'answer lost') return spoil(request, response, fault)
    if (!bot) return reply(response, 401, refused(new Refusal(401, 'Unauthorized')))
    const run = methods[method]
    if (!run) return reply(response, 404, refused(new Refusal(404, 'Not Found: method not found')))
    try {
      const onClosed: MethodCall['onClosed'] = (call) => {
        response.on('close', call)
      }
      const result = await run({ bot, params, uploads, onClosed })
      if (fault === 'answer lost') request.socket.destroy()
      else reply(response, 200, { ok: true, result })
      deliverByWebhook(bot)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      reply(response, error.code, refused(error))
    }
  }

  async function download(
    request: IncomingMessage,
    response: ServerResponse,
    { token, path }: { token: string; path: string },
  ): Promise<void> {
    counts.set('download', (counts.get('download') ?? 0) + 1)
    const fault = faults.take({ method: 'download', token })
    const file = [...state.files.values()].find((one) => one.path === path)
    if (!botOf(token)) return reply(response, 401, refused(new Refusal(401, 'Unauthorized')))
    if (!file) return reply(response, 404, refused(new Refusal(404, 'Not Found')))
    const size = file.bytes.byteLength
    if (fault === 'short') {
      response.writeHead(200, { 'content-length': size })
      response.write(file.bytes.subarray(0, size >> 1))
      setImmediate(() => request.socket.destroy())
      return
    }
    if (fault) return spoil(request, response, fault)
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
    response.end(file.bytes)
  }

  function spoil(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    if (fault === 'hang') return
    if (typeof fault === 'string') {
      request.socket.destroy()
      return
    }
    const { code, description = 'Internal Server Error', retryAfter } = fault
    reply(response, code, refused(new Refusal(code, description, retryAfter)))
  }

  function botOf(token: string): TelegramBot | undefined {
    return state.bots.find((bot) => bot.token === token)
  }

  /** One at a time, oldest first, and again until the server has taken it. */
  function deliverByWebhook(bot: TelegramBot): void {
    bot.queue.onAdded(() => deliverByWebhook(bot))
    if (webhooks.has(bot)) return
    webhooks.add(bot)
    run(bot).then(
      () => webhooks.delete(bot),
      () => webhooks.delete(bot),
    )
  }

  async function run(bot: TelegramBot): Promise<void> {
    for (let update = bot.queue.peek(); update && bot.queue.webhook; update = bot.queue.peek()) {
      if (isClosed) return
      const { webhook } = bot.queue
      const failure = await post(webhook, update)
      if (failure === undefined) {
        bot.queue.shift()
        continue
      }
      webhook.lastErrorAt = Math.floor(state.clock.now() / 1000)
      webhook.lastError = failure
      await new Promise<void>((resolve) => state.clock.after(WEBHOOK_PAUSE_MS, resolve))
    }
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')

  return {
    root: `http://127.0.0.1:${address.port}`,
    requests: (method) =>
      method === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(method.toLowerCase()) ?? 0),
    connections: () => sockets.size,
    async close() {
      isClosed = true
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Returns what went wrong. */
async function post(webhook: { url: string; secret: string }, update: object): Promise<string | undefined> {
  try {
    const response = await fetch(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(webhook.secret !== '' && { 'x-telegram-bot-api-secret-token': webhook.secret }),
      },
      body: JSON.stringify(update),
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await response.arrayBuffer()
    if (response.ok) return undefined
    return `Wrong response from the webhook: ${response.status} ${response.statusText}`
  } catch {
    return 'Connection refused'
  }
}

async function readBody(request: IncomingMessage): Promise<Pick<MethodCall, 'params' | 'uploads'>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const uploads: MethodCall['uploads'] = new Map()
  const params: Record<string, unknown> = {}
  const query = new URL(request.url ?? '', 'http://localhost').searchParams
  for (const [name, value] of query) params[name] = value
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return { params: { ...params, ...(isRecord(body) && body) }, uploads }
  }
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData()
    for (const [name, value] of form) {
      if (typeof value === 'string') params[name] = value
      else uploads.set(name, { name: value.name, type: value.type, bytes: await value.bytes() })
    }
  }
  return { params, uploads }
}

function refused({ code, description, retryAfter }: Refusal): object {
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } }
  return { ok: false, error_code: code, description, ...parameters }
}

function reply(response: ServerResponse, status: number, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}
