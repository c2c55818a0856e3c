import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'

import { countMails, mailboxProblems } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { readMailbox, updateMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { signInAgent } from '../support/agents.ts'
import type { Bellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { startCutProxy } from '../support/mail/cut-proxy.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import type { TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'secret'
const MINUTE_MS = 60_000
const A_MOMENT_MS = 100
const MANY = 500
const LONG_TEST_MS = 120_000
const LOOK_EVERY_MS = 60

describeWithMail('when something goes wrong while mail is received', () => {
  const clock = createManualClock()
  let dovecot: Dovecot
  let bellhop: Bellhop
  let boxes = 0
  beforeAll(async () => {
    dovecot = await startDovecot({ users: {} })
    bellhop = await startBellhopWithMail({ clock })
  })
  afterAll(async () => {
    await bellhop.stop()
    await dovecot.stop()
  })

  async function connected(given: { port?: number; more?: object } = {}) {
    boxes += 1
    const address = `support${boxes}@helpdesk.test`
    dovecot.addUser(address, PASSWORD)
    const client = await bellhop.organization()
    const { orgId } = client
    const server = { imapsPort: given.port ?? dovecot.imapsPort }
    const { id } = await connectMailbox(bellhop, client, {
      dovecot: server,
      address,
      password: PASSWORD,
      more: given.more ?? {},
    })
    const state = () => readMailbox(bellhop.deps, orgId, id)
    const counts = () => countMails(bellhop.deps, orgId, id)
    /**
     * Waits until it is so, as long as the test may take, and skips the pauses after failures, but not while a mail is
     * being read. The pauses add up to minutes, and the clock must leave a server on a busy machine time to respond.
     */
    const soon = async <T>(look: () => T | Promise<T>): Promise<NonNullable<T>> => {
      for (;;) {
        const seen = await look()
        if (seen) return seen
        const isPausing = (await state()).receiveError !== '' && (await counts()).pending === 0
        if (isPausing) clock.advance(1_000)
        await Bun.sleep(LOOK_EVERY_MS)
      }
    }
    await eventually(async () => {
      const { lastCheckedAt, receiveError } = await state()
      if (lastCheckedAt === null && receiveError === '') clock.advance(1_000)
      return lastCheckedAt !== null || receiveError !== ''
    })
    return {
      client,
      address,
      id,
      soon,
      counts,
      state,
      problems: () => mailboxProblems(bellhop.deps, orgId),
      change: (change: Parameters<typeof updateMailbox>[2]['change']) =>
        updateMailbox(bellhop.deps, orgId, { id, change }),
    }
  }

  test(
    'a connection that is cut inside a mail leaves nothing half, and the mail comes whole',
    async () => {
      const proxy = await startCutProxy({ port: dovecot.imapsPort })
      proxy.cut({ of: 'server', afterBytes: 700_000, does: 'cut' })
      const { client, address, counts, soon, state } = await connected({ port: proxy.port })
      const line = `${'x'.repeat(70)}\r\n`
      dovecot.deliver(address, mail('Large', line.repeat(30_000)))
      await soon(async () => (await state()).receiveError !== '')
      expect((await counts()).message).toBe(0)
      await soon(async () => (await counts()).message === 1)
      const { json } = await client.call<{ data: { id: string }[] }>('GET', '/tickets')
      const ticket = await client.call<TicketJson>('GET', `/tickets/${json.data[0]?.id}`)
      expect(ticket.json.messages[0]?.text).toStartWith('x'.repeat(70))
      expect((await state()).receiveError).toBe('')
      await proxy.stop()
    },
    LONG_TEST_MS,
  )

  test(
    'a server that is gone for ten minutes is said to every administrator, and comes back without help',
    async () => {
      const { address, counts, soon, state, problems } = await connected()
      await dovecot.stop()
      await soon(async () => (await state()).receiveError.includes("doesn't accept connections"))
      expect(await problems()).toHaveLength(0)
      clock.advance(10 * MINUTE_MS)
      await soon(async () => (await problems()).length === 1)
      dovecot.deliver(address, mail('While it was gone'))
      await dovecot.start()
      await soon(async () => (await counts()).message === 1)
      await soon(async () => (await state()).receiveError === '')
      expect(await problems()).toHaveLength(0)
    },
    LONG_TEST_MS,
  )

  test(
    'a password that is no longer right is reported in a sentence, and with the right one receiving continues at once',
    async () => {
      const { address, counts, soon, state, change } = await connected()
      dovecot.setPassword(address, 'another one')
      await dovecot.disconnect(address)
      await soon(async () => (await state()).receiveError.includes('refused the sign-in'))
      dovecot.deliver(address, mail('Meanwhile'))
      const { imap } = await state()
      await change({ imap: { ...imap, password: 'another one' } })
      await soon(async () => (await counts()).message === 1)
    },
    LONG_TEST_MS,
  )

  test(
    'a password that is refused three times in a row stops the mailbox, before the account is locked',
    async () => {
      const { client, address, counts, id, soon, state, problems } = await connected()
      const ana = await signInAgent(bellhop, client.orgId, { name: 'Ana', role: 'admin' })
      const refusals = () => dovecot.log().split(`user=<${address}>`).length - 1
      dovecot.setPassword(address, 'another one')
      await dovecot.disconnect(address)
      await soon(async () => (await state()).state === 'refused')
      expect(await problems()).toMatchObject([{ id, signInRefusals: 3 }])
      const { json } = await ana.call('GET', `/console/mailboxes/${id}`)
      expect(json).toMatchObject({ state: 'refused', detail: expect.stringContaining('refused the sign-in') })
      const audit = await ana.call('GET', '/console/audit')
      expect(audit.json.data).toEqual(
        expect.arrayContaining([expect.objectContaining({ action: 'mailbox.refused' })]),
      )
      const before = refusals()
      clock.advance(60 * MINUTE_MS)
      dovecot.deliver(address, mail('Meanwhile'))
      await Bun.sleep(A_MOMENT_MS)
      expect(refusals()).toBe(before)
      const body = { imap: { ...(json.imap as object), password: 'another one' } }
      expect((await ana.call('PATCH', `/console/mailboxes/${id}`, { body })).json).toMatchObject({
        state: 'active',
      })
      // The loop looks at the mailboxes only every half a second.
      clock.advance(1_000)
      await soon(async () => (await counts()).message === 1)
      expect(await state()).toMatchObject({ state: 'active', signInRefusals: 0 })
    },
    LONG_TEST_MS,
  )

  test(
    'a server that cannot check passwords for a while stops no mailbox',
    async () => {
      const { address, counts, soon, state } = await connected()
      const broken = `${dovecot.mailFolder}/../passwords/${address}`
      writeFileSync(broken, 'not JSON')
      await dovecot.disconnect(address)
      const attempts = () => dovecot.log().split(`temporary failure): user=<${address}>`).length - 1
      await soon(async () => (await state()).receiveError.includes("couldn't check the sign-in"))
      const first = attempts()
      await soon(() => attempts() >= first + 4)
      expect(await state()).toMatchObject({ state: 'active', signInRefusals: 0 })
      dovecot.setPassword(address, PASSWORD)
      dovecot.deliver(address, mail('After the fault'))
      await soon(async () => (await counts()).message === 1)
    },
    LONG_TEST_MS,
  )

  test(
    'a mailbox that has never sent says so, and fails once its SMTP server is not there',
    async () => {
      const { client, address, counts, id, soon, problems } = await connected()
      const ana = await signInAgent(bellhop, client.orgId, { name: 'Ana', role: 'admin' })
      const shown = async () => (await ana.call('GET', `/console/mailboxes/${id}`)).json
      expect(await shown()).toMatchObject({
        state: 'active',
        detail: 'Receives mail. No mail has been sent yet.',
      })
      dovecot.deliver(address, mail('Please answer'))
      await soon(async () => (await counts()).message === 1)
      const { json } = await client.call<{ data: { id: string }[] }>('GET', '/tickets')
      const body = { text: 'Hello' }
      await ana.call('POST', `/v1/tickets/${json.data[0]?.id}/messages`, { body })
      await soon(async () => (await shown()).state === 'failing')
      const reason = "127.0.0.1 doesn't accept connections on port 1. Check the port."
      expect(await shown()).toMatchObject({ detail: reason, health: { lastSentAt: null } })
      expect(await problems()).toHaveLength(0)
      // Meanwhile mail is received, which mends nothing.
      dovecot.deliver(address, mail('Another one'))
      await soon(async () => (await counts()).message === 2)
      clock.advance(10 * MINUTE_MS)
      expect(await problems()).toMatchObject([{ id, sendError: reason }])
    },
    LONG_TEST_MS,
  )

  test(
    'a folder that was renamed is named, and the others go on',
    async () => {
      const folders = ['Older', 'INBOX', 'Orders']
      const { address, counts, soon, state, change } = await connected({ more: { folders } })
      await soon(async () => (await state()).receiveError !== '')
      expect((await state()).receiveError).toContain('no folder "Orders". Create it there, or choose other')
      // The clock stands still: the server tells of it, no poll finds it.
      dovecot.deliver(address, mail('To the inbox'))
      await eventually(async () => (await counts()).message === 1)
      dovecot.deliver(address, mail('Once more'))
      await eventually(async () => (await counts()).message === 2)
      await change({ folders: ['INBOX', 'Orders'] })
      await dovecot.createFolder(address, 'Orders')
      dovecot.deliver(address, mail('To the orders'), 'Orders')
      await soon(async () => (await counts()).message === 3)
      await soon(async () => (await state()).receiveError === '')
    },
    LONG_TEST_MS,
  )

  test(
    'of 500 mails at once, many read elsewhere and some deleted, each that is left is taken in once',
    async () => {
      const { address, counts, soon } = await connected()
      for (let number = 0; number < MANY; number += 1) dovecot.deliver(address, mail(`Number ${number}`))
      await dovecot.addFlags(address, 'all', ['\\Seen'])
      await soon(async () => (await counts()).message === MANY)
      await dovecot.removeMails(address, 'all')
      dovecot.deliver(address, mail('After the folder was emptied'))
      await soon(async () => (await counts()).message === MANY + 1)
      expect(await counts()).toMatchObject({ pending: 0, quarantined: 0, duplicate: 0 })
    },
    LONG_TEST_MS,
  )
})

function mail(subject: string, body = 'Hello\r\n'): string {
  const id = subject.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return `From: Ana <ana@customer.test>\r\nTo: support@helpdesk.test\r\nSubject: ${subject}\r\nMessage-ID: <${id}@customer.test>\r\n\r\n${body}`
}
