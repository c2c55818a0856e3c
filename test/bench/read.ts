import { Database } from 'bun:sqlite'
import { cpuOf, startChild, startProduct } from './child.ts'
import { load, rawRequest } from './load.ts'
import { pairs, type Result } from './result.ts'
import { makeWorkspace } from './workspace.ts'

const LOAD = { connections: 32, milliseconds: 1_500, status: 200 }
const TEXT = 'Dear Ana, thank you for writing. '.repeat(10)

/** More than the server keeps finished. */
const TICKETS = 2_500

/**
 * `GET /v1/tickets/:id` with ten messages against a bare server with hand-written SQL on the same file: each time of
 * another ticket, and of the same ticket again, whose finished response the server keeps.
 */
export async function benchRead(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const product = await startProduct(workspace.folder)
  const id = await ticketWithMessages(product.port, workspace.key, 10)
  const copies = copyTicket(workspace.file, id, TICKETS)
  const floor = await startChild('test/bench/floor-read.ts', [workspace.file, workspace.orgId])
  const requests = copies.map((one) =>
    rawRequest('GET', `/v1/tickets/${one}`, { authorization: `Bearer ${workspace.key}` }),
  )
  await untilIdle(product.pid)
  let place = 0
  // From one run to the next too, so that none is asked for twice before all others.
  const another = () => requests[place++ % requests.length] ?? new Uint8Array()
  const same = () => requests[0] ?? new Uint8Array()
  const results: Result[] = []
  for (const [name, next, target] of [
    ['each time another', another, 0.65],
    ['again', same, 0.8],
  ] as const) {
    const run = async (port: number) => (await load(port, { ...LOAD, next })).perSecond
    await run(product.port)
    const { ratio, one, other } = await pairs(
      5,
      () => run(product.port),
      () => run(floor.port),
    )
    results.push({
      name: `GET a ticket of 10 messages, ${name} / bare server with SQL that is planned once`,
      measured: ratio,
      unit: 'ratio',
      target,
      wanted: 'at least',
      detail: `${Math.round(one)} / ${Math.round(other)} per second`,
    })
  }
  await Promise.all([product, floor].map((child) => child.stop()))
  workspace.remove()
  return results
}

/** The search index takes in the copies first. */
async function untilIdle(pid: number): Promise<void> {
  for (let before = 0; cpuOf(pid) - before > 50_000; await Bun.sleep(1_000)) before = cpuOf(pid)
}

/** Copies a ticket with its messages many times. Returns the ids. */
function copyTicket(file: string, id: string, howMany: number): string[] {
  const database = new Database(file)
  database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
  const copyRows = (table: string, made: Record<string, string>, condition: string) => {
    const all = database.query<{ name: string }, []>(`PRAGMA table_info(${table})`).all()
    const names = all.map(({ name }) => name).filter((name) => name !== 'number')
    const values = names.map((name) => made[name] ?? `t.${name}`)
    return database.query(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${table} t WHERE ${condition} = ?2`,
    )
  }
  const tickets = copyRows('tickets', { id: "printf('tkt_%026d', ?1)" }, 't.id')
  const messages = copyRows(
    'messages',
    {
      id: "printf('msg_%026d', ?1 * 100 + row_number() OVER (ORDER BY t.id))",
      ticket_id: "printf('tkt_%026d', ?1)",
    },
    't.ticket_id',
  )
  const ids: string[] = []
  for (let number = 1; number <= howMany; number += 1) {
    tickets.run(number, id)
    messages.run(number, id)
    ids.push(`tkt_${String(number).padStart(26, '0')}`)
  }
  database.exec('COMMIT')
  database.close()
  return ids
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
