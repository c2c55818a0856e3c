import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint, MAX_ENDPOINTS } from '../../server/webhooks/endpoints/endpoints.ts'
import { startHangingServer } from '../support/hanging-server.ts'
import { type Child, mainThreadCpuOf, startChild, startProduct } from './child.ts'
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { median, pairs, type Result } from './result.ts'
import { fillDeliveries, makeWorkspace, type Workspace } from './workspace.ts'

const DELIVERIES = 12_000
/** Not measured: connections are made and code becomes warm. */
const WARM_UP = 2_000
const WIND_DOWN = 500
const PER_ENDPOINT = 8
const HANGING = 400
const LATENCY_SAMPLES = 100
const SAMPLE_EVERY_MS = 40
const ALLOW = '127.0.0.0/8'

export async function benchDeliver(): Promise<Result[]> {
  const receiver = await startCountingReceiver()
  try {
    return [...(await benchThroughput(receiver)), await benchHanging(receiver)]
  } finally {
    receiver.stop()
  }
}

/** Deliveries to one receiver, every attempt logged, against a bare loop of signed posts with as many in flight. */
async function benchThroughput(receiver: CountingReceiver): Promise<Result[]> {
  const onMainThread: number[] = []
  const product = async () => {
    const workspace = await makeWorkspace({ url: receiver.url, isOff: false, allow: ALLOW })
    fillDeliveries(workspace, DELIVERIES)
    const start = () => startProduct(workspace.folder, settings(receiver))
    const { perSecond, mainThreadUs } = await measure(receiver, start)
    workspace.remove()
    onMainThread.push(mainThreadUs)
    return perSecond
  }
  const floor = async () => {
    const args = [receiver.url, receiver.caFile, `${DELIVERIES}`, `${PER_ENDPOINT}`]
    return (await measure(receiver, () => startChild('test/bench/floor-post.ts', args))).perSecond
  }
  const { ratio, one, other } = await pairs(3, product, floor)
  return [
    {
      name: 'deliveries to one receiver, attempts logged / bare loop of signed posts',
      measured: ratio,
      unit: 'ratio',
      target: 0.6,
      wanted: 'at least',
      detail: `${Math.round(one)} / ${Math.round(other)} per second`,
    },
    {
      name: 'processor time of the main thread for a delivery',
      measured: median(onMainThread),
      unit: 'µs',
      target: 60,
      wanted: 'at most',
      detail: `${Math.min(...onMainThread).toFixed(0)} to ${Math.max(...onMainThread).toFixed(0)} µs`,
    },
  ]
}

/** A program that posts. Its processor time is read before the last posts: a bare loop ends with them. */
async function measure(receiver: CountingReceiver, start: () => Promise<Child>) {
  receiver.reset()
  const child = await start()
  const look = async (howMany: number) => {
    await receiver.received(howMany)
    return { sent: receiver.times.length, us: mainThreadCpuOf(child.pid) }
  }
  const from = await look(WARM_UP)
  const to = await look(DELIVERIES - WIND_DOWN)
  await receiver.received(DELIVERIES)
  const [first = 0, last = 0] = [receiver.times[WARM_UP], receiver.times[DELIVERIES - 1]]
  await child.stop()
  return {
    perSecond: ((DELIVERIES - WARM_UP) / (last - first)) * 1000,
    mainThreadUs: (to.us - from.us) / (to.sent - from.sent),
  }
}

/** From a ticket's 201 to its webhook at a healthy receiver, alone and beside receivers that take and never answer. */
async function benchHanging(receiver: CountingReceiver): Promise<Result> {
  const hanging = await startHangingServer()
  const alone = await latency(receiver, 0, hanging.port)
  const beside = await latency(receiver, HANGING, hanging.port)
  hanging.stop()
  return {
    name: `delivery latency beside ${HANGING} hanging receivers / alone`,
    measured: beside / alone,
    unit: 'ratio',
    target: 2,
    wanted: 'at most',
    detail: `median ${beside.toFixed(1)} / ${alone.toFixed(1)} ms`,
  }
}

async function latency(receiver: CountingReceiver, hanging: number, hangingPort: number): Promise<number> {
  const workspace = await makeWorkspace({ url: receiver.url, isOff: false, allow: ALLOW })
  await addHanging(workspace, hanging, hangingPort)
  const child = await startProduct(workspace.folder, settings(receiver))
  const samples: number[] = []
  receiver.reset()
  for (let number = 0; number < LATENCY_SAMPLES; number += 1) {
    await createByApi(child.port, workspace.key)
    const acknowledgedAt = performance.now()
    // A ticket is two events.
    await receiver.received(2 * (number + 1))
    samples.push(Math.max(0, (receiver.times.at(-1) ?? 0) - acknowledgedAt))
    await Bun.sleep(SAMPLE_EVERY_MS)
  }
  await child.stop()
  workspace.remove()
  return median(samples)
}

/** Other organizations whose endpoints all hang, each with deliveries waiting. */
async function addHanging({ folder }: Workspace, howMany: number, port: number): Promise<void> {
  if (howMany === 0) return
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder, BELLHOP_WEBHOOK_ALLOW: ALLOW }), { log })
  const ids: string[] = []
  for (let number = 0; number < howMany; number += 1) {
    if (number % MAX_ENDPOINTS === 0) {
      ids.push((await createOrganization(deps, { name: `Hanging ${number}` })).id)
    }
    const id = ids.at(-1) ?? ''
    await createEndpoint(deps, id, { url: `https://127.0.0.1:${port}/${number}`, events: ['message.sent'] })
  }
  for (let number = 0; number < 10; number += 1) {
    for (const id of ids) {
      await createTicket(deps, id, {
        subject: 'Hello',
        customer: { email: 'ana@example.com' },
        message: 'Hello',
      })
    }
  }
  await deps.database.close()
}

async function createByApi(port: number, key: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subject: 'Hello', customer: { email: 'ana@example.com' }, message: 'Hello' }),
  })
  if (response.status !== 201) throw new Error(`A ticket was answered with ${response.status}.`)
  await response.arrayBuffer()
}

function settings(receiver: CountingReceiver): Record<string, string> {
  return { BELLHOP_WEBHOOK_ALLOW: ALLOW, BELLHOP_WEBHOOK_CA: receiver.caFile }
}
