import type { Database } from 'bun:sqlite'
import type { Change, MirrorStore } from '../../../release/clients/typescript/src/bellhop.ts'

interface Row {
  id: string
  kind: Change['kind']
  ticketId: string | null
  data: string
}

/** A mirror in an SQLite file, as its reader sees it. */
export interface KeptMirror extends MirrorStore {
  /** Everything by its id. */
  everything(): Map<string, string>
}

export function openMirror(database: Database): KeptMirror {
  database.exec(`pragma journal_mode = wal; pragma synchronous = off; pragma busy_timeout = 5000;
    create table if not exists objects (id text primary key, kind text, ticketId text, data text);
    create index if not exists by_ticket on objects (ticketId);
    create table if not exists position (after text)`)
  const insert = database.prepare('insert or replace into objects values (?, ?, ?, ?)')
  const remove = database.prepare('delete from objects where id = ?1 or ticketId = ?1')
  return {
    position: async () => database.query<{ after: string }, []>('select after from position').get()?.after,
    async clear() {
      database.exec('begin; delete from objects; delete from position; commit')
    },
    async apply(changes, position) {
      database.transaction(() => {
        for (const { kind, id, value } of changes) {
          if (value === undefined) remove.run(id)
          else insert.run(id, kind, kind === 'message' ? value.ticketId : null, JSON.stringify(value))
        }
        database.exec('delete from position')
        if (position !== undefined) database.run('insert into position values (?)', [position])
      })()
    },
    async clearMessages(ticketId) {
      database.run('delete from objects where ticketId = ?', [ticketId])
    },
    everything() {
      const all = database.query<Row, []>('select * from objects').all()
      return new Map(all.map(({ kind, data }) => entryOf(kind, JSON.parse(data))))
    },
  }
}

/** One entry of a copy: the same for the same thing, however it was read. A ticket's customer is an entry of its own. */
export function entryOf(kind: Change['kind'], item: { id: string; customer?: unknown }): [string, string] {
  const { customer: _, ...shown } = item
  return [item.id, canonical({ kind, ...shown })]
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}
