import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { startProduct } from './child.ts'
import type { Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const ORIGIN = 'https://shop.example'
const ADDRESS = '203.0.113.7'
const NEW_VISITORS_PER_SECOND = 500
const LONG_TEXTS_PER_SECOND = 20
const LONG_TEXT = 'x'.repeat(65_536)
const UPLOADS_AT_ONCE = 4
const UPLOAD = new Uint8Array(2 * 1024 * 1024)
const MEASURED_MS = 10_000
const READ_EVERY_MS = 10
const TURN_MS = 20
const DONE = new Set([200, 201, 403, 413, 429])

/** How long agents wait while one address opens sessions, writes long texts and uploads files without an end. */
export async function benchWidgetFlood(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const { key, ticketId } = await fill(workspace)
  const product = await startProduct(workspace.folder, { BELLHOP_TRUST_PROXY: '127.0.0.0/8' })
  const base = `http://127.0.0.1:${product.port}`
  const read = async () => {
    const headers = { authorization: `Bearer ${workspace.key}` }
    await (await fetch(`${base}/v1/tickets/${ticketId}`, { headers })).arrayBuffer()
  }
  await p95Of(read, MEASURED_MS / 5)
  const idle = await p95Of(read, MEASURED_MS)
  const flood = startFlood(`${base}/widget/${key}`)
  const flooded = await p95Of(read, MEASURED_MS)
  const counts = await flood.stop()
  await product.stop()
  workspace.remove()
  return [
    {
      name: "Agents' p95 beside a flood from one address / idle",
      measured: flooded / idle,
      unit: 'ratio',
      target: 1.5,
      wanted: 'at most',
      detail: `${flooded.toFixed(1)} / ${idle.toFixed(1)} ms; ${counts}`,
    },
  ]
}

async function fill({ folder, orgId }: Workspace): Promise<{ key: string; ticketId: string }> {
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder }), { log })
  const { widget } = await createWidget(deps, orgId, { name: 'Shop', origins: [ORIGIN] })
  const { id: ticketId } = await createTicket(deps, orgId, {
    subject: 'Missing invoice',
    message: 'Where?',
    customer: { email: 'ana@example.com' },
  })
  await deps.database.close()
  return { key: widget.key, ticketId }
}

/** Of requests at a steady rate, as agents make them. */
async function p95Of(request: () => Promise<void>, ms: number): Promise<number> {
  const times: number[] = []
  const running: Promise<void>[] = []
  const startedAt = performance.now()
  for (let at = startedAt; at < startedAt + ms; at += READ_EVERY_MS) {
    await Bun.sleep(Math.max(0, at - performance.now()))
    const sentAt = performance.now()
    running.push(request().then(() => void times.push(performance.now() - sentAt)))
  }
  await Promise.all(running)
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? Number.NaN
}

function startFlood(base: string): { stop(): Promise<string> } {
  const statuses = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let isOver = false
  let token = ''

  async function send(
    what: string,
    method: string,
    path: string,
    body: BodyInit,
    type: string,
  ): Promise<void> {
    const headers = {
      origin: ORIGIN,
      'x-forwarded-for': ADDRESS,
      'content-type': type,
      ...(token && { authorization: `Bearer ${token}` }),
    }
    // One that the server refuses in the middle of its body may lose its connection.
    const response = await fetch(base + path, { method, headers, body }).catch(() => undefined)
    const text = (await response?.text().catch(() => '')) ?? ''
    if (response && !DONE.has(response.status)) throw new Error(`${what}: ${response.status} ${text}`)
    if (what === 'sessions' && response?.status === 201) token = JSON.parse(text).token
    const name = `${what} ${response?.status ?? 'cut'}`
    statuses.set(name, (statuses.get(name) ?? 0) + 1)
  }

  function begin(sending: Promise<void>): void {
    running.add(sending)
    void sending.finally(() => running.delete(sending))
  }

  const json = 'application/json'
  const session = () => send('sessions', 'POST', '/session', '{}', json)
  const text = () => {
    const path = `/conversations/flooding/messages/${crypto.randomUUID()}`
    return send('texts', 'PUT', path, JSON.stringify({ text: LONG_TEXT }), json)
  }
  const upload = async () => {
    while (!isOver) await send('uploads', 'POST', '/files?name=x.bin', UPLOAD, 'application/octet-stream')
  }
  const flooding = (async () => {
    await session()
    await text()
    for (let number = 0; number < UPLOADS_AT_ONCE; number += 1) begin(upload())
    const startedAt = performance.now()
    let [sessions, texts] = [0, 0]
    while (!isOver) {
      const seconds = (performance.now() - startedAt) / 1_000
      for (; sessions < seconds * NEW_VISITORS_PER_SECOND; sessions += 1) begin(session())
      for (; texts < seconds * LONG_TEXTS_PER_SECOND; texts += 1) begin(text())
      await Bun.sleep(TURN_MS)
    }
  })()
  return {
    async stop() {
      isOver = true
      await flooding
      await Promise.all(running)
      return [...statuses].map(([name, count]) => `${name}: ${count}`).join(', ')
    },
  }
}
