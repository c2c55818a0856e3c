import type { Client } from '../../../release/clients/typescript/src/bellhop.ts'
import { eventually } from '../webhooks.ts'
import { entryOf, type KeptMirror } from './mirror-store.ts'

/** What the mirror has otherwise than the server, once nothing changes anymore, and how many objects the server has. */
export async function differences({
  bellhop,
  rows,
}: {
  bellhop: Client
  rows: KeptMirror
}): Promise<[string[], number]> {
  for (;;) {
    const newest = async () => (await bellhop.get('/me')).newestEvent
    await eventually(async () => (await rows.position()) === (await newest())).catch(() => undefined)
    const newestEvent = await newest()
    const shown = await everythingShown(bellhop)
    const copied = rows.everything()
    if ((await newest()) !== newestEvent) continue
    const ids = [...new Set([...shown.keys(), ...copied.keys()])].sort()
    const differing = ids.filter((id) => shown.get(id) !== copied.get(id))
    return [differing.map((id) => `${id}\n  server ${shown.get(id)}\n  mirror ${copied.get(id)}`), shown.size]
  }
}

async function everythingShown(bellhop: Client): Promise<Map<string, string>> {
  const shown = new Map<string, string>()
  for await (const one of bellhop.pages('/tickets', { query: { sort: 'created_asc' } }))
    shown.set(...entryOf('ticket', one))
  for await (const one of bellhop.pages('/messages')) shown.set(...entryOf('message', one))
  for await (const one of bellhop.pages('/customers')) shown.set(...entryOf('customer', one))
  return shown
}
