import { join } from 'node:path'
import { SQL } from 'bun'

/** Has PostgreSQL log the statements of the sessions. Returns how to read its log. */
export async function logStatements(
  url: string,
  of: 'every session' | 'new sessions of the database',
): Promise<() => Promise<string>> {
  const client = new SQL(url, { max: 1 })
  const [{ name, folder }] =
    await client`select current_database() as name, current_setting(${'data_directory'}) as folder`
  await client.unsafe(
    `alter ${of === 'every session' ? 'system' : `database ${name}`} set log_statement = 'all'`,
  )
  await client.unsafe('select pg_reload_conf()')
  await client.close()
  return () => Bun.file(join(folder, '../log')).text()
}

/** What servers ask however little happens: beats, leases, the history of the database, and the limit of a key. */
const REGULAR = /isBeat|"?nodes"?|pg_control_system|rolling_windows/
const OF_TICKET = /insert into "tickets"/

/** Also those that begin and end transactions. */
export function allStatements(log: string): string[] {
  return transactionsIn(log).flat()
}

/** Statements that no request waits for, without those that begin and end transactions: they are sent with others. */
export function inBackground(log: string): string[] {
  return transactionsIn(log)
    .filter((queries) => !REGULAR.test(queries.join()) && !OF_TICKET.test(queries.join()))
    .flatMap((queries) => queries.filter((query) => !/^(begin|commit)/.test(query)))
}

/** The statements of each transaction, in which they began. */
function transactionsIn(log: string): string[][] {
  const transactions: string[][] = []
  const openOf = new Map<string, string[]>()
  for (const entry of log.split(/^(?=\d{4}-\d\d-\d\d )/m)) {
    const [, process = '', kind = '', text = ''] = /\[(\d+)\] (LOG|DETAIL): {2}(.*)/s.exec(entry) ?? []
    const [, query] = /^(?:execute \w+|statement): (.*)/s.exec(text) ?? []
    const open = openOf.get(process)
    if (kind === 'DETAIL') open?.push(`${open.pop()} ${text}`)
    if (query === undefined) continue
    if (/^begin/.test(query) || !open || !isOpen(open)) {
      const begun = [query]
      openOf.set(process, begun)
      transactions.push(begun)
    } else open.push(query)
  }
  return transactions
}

function isOpen(queries: string[]): boolean {
  return /^begin/.test(queries[0] ?? '') && !/^(commit|rollback)/.test(queries.at(-1) ?? '')
}
