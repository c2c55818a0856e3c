import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { startBellhop } from '../support/bellhop.ts'
import { startDatabaseRelay } from '../support/database-relay.ts'
import { freshPlace } from '../support/engine.ts'
import { listTickets, makeTicket, problemOf, ticketInput } from '../support/tickets.ts'

const SUBJECT = 'On its way'

describe.if(engine === 'postgresql')('when the connection to the database is lost in a commit', () => {
  test.each([
    ['is acknowledged if the server has committed it', true],
    ['is refused if it has not', false],
  ])('a change %s', async (_, isCommitted) => {
    const place = await freshPlace()
    const writing = new Set<object>()
    /** By connection: the name of its prepared COMMIT. */
    const commits = new Map<object, string>()
    let cuts = 0
    using relay = startDatabaseRelay(place.DATABASE_URL ?? '', {
      sent(connection, text) {
        if (text.includes(SUBJECT)) writing.add(connection)
        const [, prepared] = /P.{4}(\w+)\0commit\0/s.exec(text) ?? []
        if (prepared) commits.set(connection, prepared)
        if (!writing.has(connection) || !text.includes(`\0${commits.get(connection)}\0`)) return 'pass'
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
})
