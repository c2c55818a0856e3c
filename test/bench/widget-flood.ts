import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { cpuOf, startProduct } from './child.ts'
import type { Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const ORIGIN = 'https://shop.example'
const MEASURED_MS = 10_000
const READ_EVERY_MS = 10

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
  const before = cpuOf(product.pid)
  const idle = await p95Of(read, MEASURED_MS)
  const idleCpu = cpuOf(product.pid) - before
  const program = `${import.meta.dir}/programs/flood-widget.ts`
  const stdio = ['pipe', 'pipe', 'inherit'] as const
  const flood = Bun.spawn([process.execPath, program, `${base}/widget/${key}`], { stdio: [...stdio] })
  const flooded = await p95Of(read, MEASURED_MS)
  const floodedCpu = cpuOf(product.pid) - before - idleCpu
  await flood.stdin.end()
  const counts = (await new Response(flood.stdout).text()).replace('flooding\n', '')
  await product.stop()
  workspace.remove()
  return [
    {
      name: "Agents' p95 beside a flood from one address / idle",
      measured: flooded / idle,
      unit: 'ratio',
      target: 1.5,
      wanted: 'at most',
      detail: `${flooded.toFixed(1)} / ${idle.toFixed(1)} ms, ${seconds(floodedCpu)} / ${seconds(idleCpu)} of processor time; ${counts}`,
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

function seconds(microseconds: number): string {
  return `${(microseconds / 1_000_000).toFixed(1)} s`
}
