import { residentMiB, startProduct } from './child.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { median, type Result } from './result.ts'
import { fillDeliveries, makeWorkspace } from './workspace.ts'

const STARTS = 10
const SETTLE_MS = 3_000
const DUE = 1_000_000

/** From the start of the process to its first answer, and the memory it holds. */
export async function benchStart(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const starts: number[] = []
  let atRest = 0
  for (let number = 0; number < STARTS; number += 1) {
    const startedAt = performance.now()
    const child = await startProduct(workspace.folder)
    await fetch(`http://127.0.0.1:${child.port}/health/live`)
    starts.push(performance.now() - startedAt)
    if (number === STARTS - 1) {
      await Bun.sleep(SETTLE_MS)
      atRest = residentMiB(child.pid)
    }
    await child.stop()
  }
  workspace.remove()
  const [fastest, slowest] = [Math.min(...starts), Math.max(...starts)]
  return [
    {
      name: 'first answer after start, from the sources',
      measured: median(starts),
      unit: 'ms',
      target: 150,
      wanted: 'at most',
      detail: `${fastest.toFixed(0)} to ${slowest.toFixed(0)} ms`,
    },
    {
      name: 'resident memory at rest',
      measured: atRest,
      unit: 'MiB',
      target: 90,
      wanted: 'at most',
      detail: '',
    },
    await benchBacklog(),
  ]
}

/** Memory while a million due deliveries are being sent. */
async function benchBacklog(): Promise<Result> {
  const receiver = await startCountingReceiver()
  const workspace = await makeWorkspace({ url: receiver.url, isOff: false, allow: '127.0.0.0/8' })
  fillDeliveries(workspace, DUE)
  const startedAt = performance.now()
  const child = await startProduct(workspace.folder, {
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: receiver.caFile,
  })
  await receiver.received(1)
  const firstAfterMs = (receiver.times[0] ?? 0) - startedAt
  let highest = 0
  for (let second = 0; second < 5; second += 1) {
    await Bun.sleep(1_000)
    highest = Math.max(highest, residentMiB(child.pid))
  }
  const sent = receiver.times.length
  await child.stop()
  receiver.stop()
  workspace.remove()
  return {
    name: 'resident memory with a million due deliveries',
    measured: highest,
    unit: 'MiB',
    target: 200,
    wanted: 'at most',
    detail: `first one sent ${firstAfterMs.toFixed(0)} ms after start, ${sent} sent in 5 s`,
  }
}
