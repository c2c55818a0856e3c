import { startChild, startProduct } from './child.ts'
import { load, rawRequest } from './load.ts'
import { pairs, type Result } from './result.ts'
import { makeWorkspace } from './workspace.ts'

const LOAD = { connections: 32, milliseconds: 1_500, status: 200 }
const TEXT = 'Dear Ana, thank you for writing. '.repeat(10)

/** `GET /v1/tickets/:id` with ten messages against a bare server with hand-written SQL on the same file. */
export async function benchRead(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const product = await startProduct(workspace.folder)
  const floors = await Promise.all(
    ['plain', 'planned'].map((kind) =>
      startChild('test/bench/floor-read.ts', [workspace.file, workspace.orgId, kind]),
    ),
  )
  const id = await ticketWithMessages(product.port, workspace.key, 10)
  const request = rawRequest('GET', `/v1/tickets/${id}`, { authorization: `Bearer ${workspace.key}` })
  const run = async (port: number) => (await load(port, { ...LOAD, next: () => request })).perSecond
  await run(product.port)
  const results: Result[] = []
  for (const [place, name] of ['plain SQL', 'SQL that is planned once'].entries()) {
    const floor = floors[place]?.port ?? 0
    const { ratio, one, other } = await pairs(
      5,
      () => run(product.port),
      () => run(floor),
    )
    results.push({
      name: `GET a ticket of 10 messages / bare server with ${name}`,
      measured: ratio,
      unit: 'ratio',
      target: 0.8,
      wanted: 'at least',
      detail: `${Math.round(one)} / ${Math.round(other)} per second`,
    })
  }
  await Promise.all([product, ...floors].map((child) => child.stop()))
  workspace.remove()
  return results
}

async function ticketWithMessages(port: number, key: string, howMany: number): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/tickets${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const { id } = await post('', {
    subject: 'Late order',
    customer: { email: 'ana@example.com' },
    message: TEXT,
  })
  for (let number = 1; number < howMany; number += 1) await post(`/${id}/messages`, { text: TEXT })
  return id
}
