import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { SQL } from 'bun'

/** The index of the search is built again, each engine has its own migrations, and servers note that they run. */
const OF_AN_ENGINE = /^(?:sqlite_|search_|bellhop_|nodes$|partitions$)/
const ROWS_AT_ONCE = 2_000

/** How many rows a table has, and a number that any difference in one of them would change. */
interface Contents {
  rows: number
  hash: bigint
}

/** The contents of all tables, the same for both engines. */
export async function contentsOfFile(dataFolder: string): Promise<Record<string, Contents>> {
  using file = new Database(join(dataFolder, 'bellhop.db'), { readonly: true })
  const contents: Record<string, Contents> = {}
  const tables = file.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all()
  for (const { name } of tables) {
    if (OF_AN_ENGINE.test(name)) continue
    const found = { rows: 0, hash: 0n }
    using query = file.prepare<Record<string, unknown>, []>(`select * from "${name}"`)
    for (const row of query.iterate()) add(found, row)
    contents[name] = found
  }
  return contents
}

export async function contentsOfPostgres(url: string): Promise<Record<string, Contents>> {
  const client = new SQL(url, { max: 1 })
  try {
    return await client.begin(async (tx) => {
      const tables: { name: string }[] =
        await tx`select tablename::text as name from pg_tables where schemaname = 'public'`
      const contents: Record<string, Contents> = {}
      for (const { name } of tables) {
        if (OF_AN_ENGINE.test(name)) continue
        const found = { rows: 0, hash: 0n }
        await tx.unsafe(`declare all_of_${name} cursor for select * from "${name}"`)
        for (;;) {
          const rows = await tx.unsafe(`fetch ${ROWS_AT_ONCE} from all_of_${name}`)
          for (const row of rows) add(found, row)
          if (rows.length < ROWS_AT_ONCE) break
        }
        contents[name] = found
      }
      return contents
    })
  } finally {
    await client.close()
  }
}

/** In any order. */
function add(contents: Contents, row: Record<string, unknown>): void {
  contents.rows += 1
  const columns = Object.keys(row).sort()
  contents.hash += Bun.hash(JSON.stringify(columns.map((column) => [column, plain(row[column])])))
}

/** A boolean is a number on SQLite, and a large number is a text in what PostgreSQL answers. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  return value === null ? null : String(typeof value === 'boolean' ? Number(value) : value)
}
