import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const COUNTED = ['organizations', 'tickets', 'messages', 'events', 'attachments', 'customers']

/** How many rows a data folder has, after all of its database was checked. */
export function contentsOf(dataFolder: string): Record<string, number> {
  using database = new Database(join(dataFolder, 'bellhop.db'), { readonly: false, create: false })
  const check = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
  if (check[0]?.integrity_check !== 'ok') throw new Error(JSON.stringify(check))
  return Object.fromEntries(
    COUNTED.map((table) => {
      const row = database.query<{ count: number }, []>(`select count(*) as count from ${table}`).get()
      return [table, row?.count ?? 0]
    }),
  )
}

/**
 * Ids of tickets, messages, and attachments that are in a data folder, the attachments with their bytes; and
 * `created ID` and `told ID` for a ticket with the event of its creation, and with a delivery of it.
 */
export function idsIn(dataFolder: string): Set<string> {
  using database = new Database(join(dataFolder, 'bellhop.db'), { readonly: false, create: false })
  const column = (query: string) => database.query<{ id: string }, []>(query).all()
  const files = database.query<{ id: string; hash: string }, []>('select id, hash from attachments').all()
  const found = [
    column('select id from tickets'),
    column('select id from messages'),
    files.filter(({ hash }) => existsSync(join(dataFolder, 'attachments', hash.slice(0, 2), hash))),
    column("select 'created ' || ticket_id as id from events where type = 'ticket.created'"),
    column("select 'told ' || ticket_id as id from deliveries where event_type = 'ticket.created'"),
  ]
  return new Set(found.flat().map(({ id }) => id))
}
