import { expect, test } from 'bun:test'
import { eq, inArray } from 'drizzle-orm'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { startOutbound } from '../../server/channels/start-outbound.ts'
import { readConfig } from '../../server/config.ts'
import { sends } from '../../server/database/tables/sends.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { startSmtpFaults } from '../support/mail/smtp-faults.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { eventually } from '../support/webhooks.ts'

const KILLS = 20
const MAX_LIFE_MS = 250
const MAX_TEST_MS = 120_000
const MESSAGE_ID = /^Message-ID: <(msg_[0-9a-z]{26})\./m

test(
  'whenever the process is killed, every reply arrives, and as the same mail at most once more for each kill',
  async () => {
    const place = { ...(await freshPlace()), ...(await mailSettings()) }
    const log = createLog('error', false, () => {}, Date.now)
    const deps = await openDeps(readConfig(place), { log })
    const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
    const smtp = await startSmtpFaults()
    const server = { host: smtp.host, port: smtp.tlsPort, security: 'tls' as const, user: '' }
    await createMailbox(deps, orgId, newMailbox({ smtp: server }))
    const inState = (...states: ('sending' | 'waiting')[]) =>
      deps.database.read.select({ id: sends.id }).from(sends).where(inArray(sends.state, states))
    const acknowledged = new Set<string>()
    let interrupted = 0
    const lives = killedLives({
      program: `${import.meta.dir}/programs/send-mails.ts`,
      args: [orgId],
      env: { ...process.env, ...place },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      firstWord: 'msg_',
    })
    for await (const [, ...ids] of lives) {
      for (const id of ids) acknowledged.add(id)
      interrupted += (await inState('sending')).length
    }
    expect(acknowledged.size).toBeGreaterThan(0)
    // Otherwise no kill happened at a moment that matters.
    expect(interrupted).toBeGreaterThan(0)

    const loop = startOutbound(deps)
    await eventually(async () => (await inState('sending', 'waiting')).length === 0)
    await loop.stop()
    const copies = Map.groupBy(smtp.messages, ({ raw }) => MESSAGE_ID.exec(raw.toString())?.[1] ?? '')
    expect(acknowledged.difference(new Set(copies.keys())).size).toBe(0)
    const unsent = await deps.database.read.select().from(sends).where(eq(sends.state, 'failed'))
    expect(unsent).toEqual([])
    for (const mails of copies.values()) {
      const [first] = mails
      expect(mails.every(({ raw }) => raw.equals(first?.raw ?? Buffer.alloc(0)))).toBe(true)
      expect(mails.length).toBeLessThanOrEqual(1 + KILLS)
    }
    // Only what was on its way at a kill can arrive twice.
    expect(smtp.messages.length - copies.size).toBeLessThanOrEqual(interrupted)
    await smtp.stop()
    await deps.database.close()
  },
  MAX_TEST_MS,
)
