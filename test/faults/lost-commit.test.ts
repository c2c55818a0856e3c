import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { engine } from '../../server/database/columns.ts'
import { startBellhop } from '../support/bellhop.ts'
import { startReplicatedPostgres } from '../support/cluster/replicated-postgres.ts'
import { startDatabaseRelay } from '../support/database-relay.ts'
import { freshPlace } from '../support/engine.ts'
import { listTickets, makeTicket, problemOf, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const SUBJECT = 'On its way'

describe.if(engine === 'postgresql')('when the connection to the database is lost in a commit', () => {
  test.each([
    ['is acknowledged if the server has committed it', true],
    ['is refused if it has not', false],
  ])('a change %s', async (_, isCommitted) => {
    const place = await freshPlace()
    let cuts = 0
    const isCommit = findCommits()
    using relay = startDatabaseRelay(place.DATABASE_URL ?? '', {
      sent(connection, text) {
        if (!isCommit(connection, text)) return 'pass'
        cuts += 1
        return isCommitted ? 'pass and cut' : 'cut'
      },
    })
    const bellhop = await startBellhop({ settings: { DATABASE_URL: relay.url } })
    const acme = await bellhop.organization()
    await makeTicket(acme)
    const answer = await acme.call('POST', '/tickets', { body: ticketInput({ subject: SUBJECT }) })
    expect(cuts).toBe(1)
    if (isCommitted) expect(answer.status).toBe(201)
    else problemOf(answer, 503, 'storage_unavailable')
    expect(answer.text).not.toContain('may not have been saved')
    const { data } = await listTickets(acme)
    expect(data.filter(({ subject }) => subject === SUBJECT)).toHaveLength(isCommitted ? 1 : 0)
    await bellhop.stop()
  })

  test('a change is not acknowledged by a standby that took over without it, and gave its id to another', async () => {
    await using postgres = await startReplicatedPostgres({ isSynchronous: false })
    const { primary, standby, link } = postgres
    const committed = Promise.withResolvers<void>()
    const isCommit = findCommits()
    using relay = startDatabaseRelay(primary.address, {
      sent(connection, text) {
        if (!isCommit(connection, text)) return 'pass'
        // What comes after it isn't answered.
        queueMicrotask(() => relay.silence('all'))
        committed.resolve()
        return 'pass and cut'
      },
    })
    const bellhop = await startBellhop({ settings: { DATABASE_URL: relay.url } })
    const acme = await bellhop.organization()
    await makeTicket(acme)
    await postgres.catchUp()
    link.silence('all')
    const answering = acme.call('POST', '/tickets', { body: ticketInput({ subject: SUBJECT }) })
    await committed.promise
    await using source = new SQL(primary.address, { max: 1 })
    await eventually(
      async () => (await source`select 1 from tickets where subject = ${SUBJECT}`).length === 1,
    )
    const [{ newest }] = await source`select pg_current_xact_id()::text::int as newest`
    await primary.kill()
    await postgres.promote()
    await using target = new SQL(standby.address, { max: 1 })
    for (let id = 0; id < newest; ) [{ id }] = await target`select pg_current_xact_id()::text::int as id`
    relay.restore()
    relay.leadTo(standby.address)
    const answer = await answering
    problemOf(answer, 503, 'storage_unavailable')
    expect(answer.text).toContain('may not have been saved')
    await bellhop.stop()
  })
})

/** Returns whether what a connection sends commits the ticket with the subject. */
function findCommits(): (connection: object, text: string) => boolean {
  const writing = new Set<object>()
  /** By connection: the name of its prepared COMMIT. */
  const commits = new Map<object, string>()
  return (connection, text) => {
    if (text.includes(SUBJECT)) writing.add(connection)
    const [, prepared] = /P.{4}(\w+)\0commit\0/s.exec(text) ?? []
    if (prepared) commits.set(connection, prepared)
    return writing.has(connection) && text.includes(`\0${commits.get(connection)}\0`)
  }
}
