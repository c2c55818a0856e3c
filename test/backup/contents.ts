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

/** Ids of tickets and attachments that are in a data folder, the attachments with their bytes. */
export function idsIn(dataFolder: string): Set<string> {
  using database = new Database(join(dataFolder, 'bellhop.db'), { readonly: false, create: false })
  const tickets = database.query<{ id: string }, []>('select id from tickets').all()
  const files = database.query<{ id: string; hash: string }, []>('select id, hash from attachments').all()
  const whole = files.filter(({ hash }) =>
    existsSync(join(dataFolder, 'attachments', hash.slice(0, 2), hash)),
  )
  return new Set([...tickets, ...whole].map(({ id }) => id))
}
