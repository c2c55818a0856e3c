import { expect, test } from 'bun:test'
import { recordReceiving } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { channels } from '../../server/channels/registry.ts'
import type { Deps } from '../../server/deps.ts'
import { failedThrough, sentThrough } from '../../server/messages/sends/account-health.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { newMailbox } from '../support/mailboxes.ts'

const MINUTE_MS = 60_000
const CHECKED = { onServer: 12, unfetched: 0 }

// Only the wall clock moves, so that nothing connects to the mailbox's servers.
async function setUp() {
  const clock = createManualClock()
  const bellhop = await startBellhop({ clock })
  const { orgId } = await bellhop.organization()
  const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const mailbox = await createMailbox(bellhop.deps, orgId, newMailbox())
  const shown = async () => (await ana.call('GET', `/console/mailboxes/${mailbox.id}`)).json
  const problems = async () =>
    (await ana.call<{ data: object[] }>('GET', '/console/mailboxes/problems')).json.data
  return { clock, bellhop, deps: bellhop.deps, ana, mailbox, shown, problems }
}

/** As the sending loop does. */
async function recordSending(deps: Deps, { id }: { id: string }, result: 'sent' | { error: string }) {
  const now = deps.clock.now()
  await deps.database.write(undefined, async (tx) => {
    const mailbox = await channels.sending('email').findAccount(tx, id)
    if (!mailbox) throw new Error(`There is no mailbox ${id}.`)
    const fault = { isRefused: false, startedAt: now, now }
    const change =
      result === 'sent' ? sentThrough(mailbox, now) : failedThrough(mailbox, { ...result, ...fault })
    await change?.save(tx)
  })
}

test('a mailbox shows its newest mails, what its server holds, and why it fails', async () => {
  const { clock, bellhop, deps, mailbox, shown } = await setUp()
  await recordReceiving(deps, mailbox, { ...CHECKED, unfetched: 2, lastReceivedAt: clock.now() })
  clock.jump(MINUTE_MS)
  await recordSending(deps, mailbox, 'sent')
  expect(await shown()).toMatchObject({
    state: 'active',
    detail: 'Receives and sends mail.',
    health: {
      lastReceivedAt: '2026-03-01T09:00:00.000Z',
      lastCheckedAt: '2026-03-01T09:00:00.000Z',
      lastSentAt: '2026-03-01T09:01:00.000Z',
      onServer: 12,
      unaccounted: 2,
      failingSince: null,
    },
  })
  await recordSending(deps, mailbox, { error: 'smtp.acme.example closed the connection.' })
  clock.jump(MINUTE_MS)
  await recordReceiving(deps, mailbox, { error: 'imap.acme.example stopped responding.' })
  await recordSending(deps, mailbox, { error: 'smtp.acme.example refused.' })
  expect(await shown()).toMatchObject({
    state: 'failing',
    detail: 'imap.acme.example stopped responding.',
    health: {
      failingSince: '2026-03-01T09:01:00.000Z',
      receiveError: 'imap.acme.example stopped responding.',
      sendError: 'smtp.acme.example refused.',
      onServer: 12,
    },
  })
  await recordReceiving(deps, mailbox, CHECKED)
  await recordSending(deps, mailbox, 'sent')
  expect(await shown()).toMatchObject({ state: 'active', health: { failingSince: null, sendError: null } })
  await bellhop.stop()
})

test('a paused mailbox is no problem, and what fails while it is paused is not recorded', async () => {
  const { clock, bellhop, deps, ana, mailbox, shown, problems } = await setUp()
  await recordSending(deps, mailbox, { error: 'smtp.acme.example refused.' })
  await ana.call('POST', `/console/mailboxes/${mailbox.id}/pause`)
  await recordSending(deps, mailbox, { error: 'smtp.acme.example refused.' })
  clock.jump(11 * MINUTE_MS)
  expect(await problems()).toEqual([])
  expect(await shown()).toMatchObject({ state: 'paused', health: { sendError: null, failingSince: null } })
  await bellhop.stop()
})
