/** A connection for one long transaction. It is the global client: an import would load it on SQLite, too. */
export async function openOwnConnection(url: string) {
  const client = new Bun.SQL(url, { max: 1 })
  try {
    // PgBouncer refuses this setting when it comes with the connection.
    await client.unsafe('set idle_in_transaction_session_timeout = 0')
    return client
  } catch (error) {
    await client.close({ timeout: 0 })
    throw error
  }
}

export type OwnConnection = Awaited<ReturnType<typeof openOwnConnection>>

let cursors = 0

/** The rows of a query, `atOnce` in memory at a time. Only inside a transaction. */
export async function* rowsByCursor<Value>(
  client: OwnConnection,
  { sql, params = [] }: { sql: string; params?: unknown[] },
  atOnce: number,
): AsyncGenerator<Value[][]> {
  // Each cursor has its own name, because the client caches the columns of a statement.
  cursors += 1
  const cursor = `rows_${cursors}`
  await client.unsafe(`declare ${cursor} no scroll cursor for ${sql}`, params)
  for (;;) {
    const rows: Value[][] = await client.unsafe(`fetch forward ${atOnce} from ${cursor}`).values()
    if (rows.length > 0) yield rows
    if (rows.length < atOnce) break
  }
  await client.unsafe(`close ${cursor}`)
}
