import { cpuOf, startChild, startProduct } from './child.ts'
import { load, rawRequest } from './load.ts'
import { pairs, type Result } from './result.ts'
import { makeWorkspace } from './workspace.ts'

const LOAD = { connections: 64, milliseconds: 2_000, status: 201 }
const DIFFERENT_REQUESTS = 5_000

/** `POST /v1/tickets` at 64 connections with one endpoint subscribed, against bare group commit of the same rows. */
export async function benchCreate(): Promise<Result[]> {
  const [workspace, floorWorkspace] = await Promise.all([makeWorkspace(), makeWorkspace()])
  const product = await startProduct(workspace.folder)
  const floor = await startChild('test/bench/floor-write.ts', [
    floorWorkspace.file,
    floorWorkspace.orgId,
    floorWorkspace.endpointId,
  ])
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) =>
    createRequest(workspace.key, number),
  )
  const next = (number: number) => requests[number % DIFFERENT_REQUESTS] ?? new Uint8Array()
  let spent = 0
  const run = async (child: { port: number; pid: number }) => {
    const before = cpuOf(child.pid)
    const { perSecond, requests: answered } = await load(child.port, { ...LOAD, next })
    spent = (cpuOf(child.pid) - before) / answered
    return perSecond
  }
  await run(product)
  await run(floor)
  const { ratio, one, other } = await pairs(
    5,
    () => run(product),
    () => run(floor),
  )
  const floorCpu = spent
  await run(product)
  await Promise.all([product.stop(), floor.stop()])
  workspace.remove()
  floorWorkspace.remove()
  return [
    {
      name: 'POST a ticket, 64 connections / bare group commit of the same rows',
      measured: ratio,
      unit: 'ratio',
      target: 0.7,
      wanted: 'at least',
      detail: `${Math.round(one)} / ${Math.round(other)} per second; ${spent.toFixed(0)} / ${floorCpu.toFixed(0)} µs of processor`,
    },
  ]
}

export function createRequest(key: string, number: number): Uint8Array {
  const body = {
    subject: `Order ${number} is late`,
    customer: { name: 'Ana Pires', email: `ana${number}@example.com` },
    message: 'Where is my order? '.repeat(10),
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return rawRequest('POST', '/v1/tickets', headers, JSON.stringify(body))
}
