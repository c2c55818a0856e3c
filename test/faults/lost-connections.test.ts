import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import type { StorageError } from '../../server/database/database.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { addOrganization, ORG, openWorkspace, seenElsewhere } from '../database/storage.ts'

const OTHER = 'org_00000000000000000000000002'
const END_ALL =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
const ROUNDS = 20

describe.if(engine === 'postgresql')('while the server of the database ends connections', () => {
  test('every change is answered, and is stored once or not at all as the answer says', async () => {
    await using workspace = await openWorkspace()
    const { deps, place } = workspace
    await deps.database.write(undefined, (tx) => addOrganization(tx, OTHER))
    const answers = new Map<string, 'stored' | 'refused' | 'unknown'>()
    let isOver = false
    const clients = Array.from({ length: 12 }, async (_, client) => {
      for (let number = 0; !isOver; number += 1) {
        const subject = `${client} ${number}`
        const orgId = client % 2 === 0 ? ORG : OTHER
        const input = { subject, customer: { email: `${client}-${number}@example.com` }, message: 'Hello' }
        const answer = await createTicket(deps, orgId, input).then(
          () => 'stored' as const,
          (error: StorageError) => (error.isCertain ? 'refused' : 'unknown'),
        )
        answers.set(subject, answer)
        // New connections take a moment.
        if (answer !== 'stored') await Bun.sleep(5)
      }
    })
    for (let round = 0; round < ROUNDS; round += 1) {
      await Bun.sleep(40)
      await seenElsewhere(place, END_ALL)
    }
    isOver = true
    await Promise.all(clients)

    const rows = await seenElsewhere(place, 'select subject, count(*) as times from tickets group by subject')
    const stored = new Map(rows.map(({ subject, times }) => [String(subject), Number(times)]))
    const wrong = [...answers].filter(([subject, answer]) => {
      const times = stored.get(subject) ?? 0
      return times > 1 || (answer === 'stored' && times === 0) || (answer === 'refused' && times > 0)
    })
    expect(wrong).toEqual([])
    expect(new Set(answers.values())).toContain('refused')
    const numbers = await seenElsewhere(
      place,
      'select org_id from events group by org_id having max(number) <> count(*)',
    )
    expect(numbers).toEqual([])
  })
})
