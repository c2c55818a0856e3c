import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import type { Bellhop, Client } from '../support/bellhop.ts'
import { verifyDkim } from '../support/mail/dkim.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { type EntryJson, readThread } from '../support/threads.ts'
import { eventually } from '../support/webhooks.ts'

// What a mailbox's own server can and can't do, and what Bellhop does then.

const PASSWORD = 'secret'
const ANA = 'ana@customer.test'
const DAN = 'dan@customer.test'
const JOERG = 'jörg@customer.test'
const LOOK_EVERY_MS = 100
const LONG_TEST_MS = 60_000

interface MailboxJson {
  id: string
  address: string
  state: string
  hasSubaddresses: boolean | null
  authservId: string
  dkim: { isOn: boolean; record: { name: string; value: string } } | null
}

describeWithMail('the mail server of a mailbox', () => {
  let dovecot: Dovecot
  /** Delivers subaddresses, and takes addresses with letters of any script. */
  let full: Postfix
  /** Does neither, and checks where mail comes from: it says what the header `X-Judge` of the mail says. */
  let plain: Postfix
  let bellhop: Bellhop
  let client: Client
  let ben: SignedInAgent
  let boxes = 0

  beforeAll(async () => {
    const users = { [ANA]: PASSWORD, [DAN]: PASSWORD, [JOERG]: PASSWORD }
    // Otherwise user names are ASCII only.
    dovecot = await startDovecot({ users, settings: 'auth_username_chars =' })
    full = await startPostfix({ dovecot })
    const judge = 'PREPEND Authentication-Results: mx.helpdesk.test'
    plain = await startPostfix({
      dovecot,
      settings: {
        recipient_delimiter: '',
        smtputf8_enable: 'no',
        header_checks: `regexp:{{/^X-Judge: (.*)/ ${judge}; $$1} {/^X-Bellhop-Message:/ ${judge}; none}}`,
      },
    })
    bellhop = await startBellhopWithMail()
    client = await bellhop.organization()
    ben = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  })
  afterAll(async () => {
    await bellhop.stop()
    await Promise.all([full.stop(), plain.stop()])
    await dovecot.stop()
  })

  async function connected(postfix: Postfix, more: object = {}): Promise<MailboxJson> {
    boxes += 1
    const address = `support${boxes}@mail.helpdesk.test`
    await Promise.all([full, plain].map((one) => one.addUser(address, PASSWORD)))
    const server = { host: '127.0.0.1', security: 'tls', user: address, password: PASSWORD }
    const body = {
      name: 'Support',
      address,
      imap: { ...server, port: dovecot.imapsPort },
      smtp: { ...server, port: postfix.submissionsPort },
      ...more,
    }
    const { json, status, text } = await ben.call<MailboxJson>('POST', '/console/mailboxes', { body })
    expect(status, text).toBe(201)
    return json
  }

  const shown = async ({ id }: MailboxJson) =>
    (await ben.call<MailboxJson>('GET', `/console/mailboxes/${id}`)).json

  async function tested({ id }: MailboxJson) {
    const { json } = await ben.call('POST', `/console/mailboxes/${id}/test`, { body: {} })
    expect(json).toMatchObject({ isOk: true })
    return json
  }

  /** A customer's mail, and its ticket. */
  async function opened(box: MailboxJson, given: { subject: string; headers?: string[]; to?: string }) {
    await plain.send({ from: ANA, to: box.address, raw: mail({ to: box.address, ...given }) })
    const found = () => ticketsWith(given.subject)
    await soon(async () => (await found()).length > 0)
    return (await found())[0] ?? ''
  }

  async function ticketsWith(subject: string): Promise<string[]> {
    const { json } = await client.call<{ data: { id: string; subject: string }[] }>('GET', '/tickets')
    return json.data.filter((one) => one.subject === subject).map(({ id }) => id)
  }

  async function messagesOf(id: string): Promise<EntryJson[]> {
    return (await readThread(ben, id)).timeline.filter(({ kind }) => kind === 'message')
  }

  const until = (id: string, count: number) =>
    soon(async () => {
      const found = await messagesOf(id)
      return found.length === count ? found : undefined
    })

  async function replied(id: string, body: object = { text: 'Hello' }): Promise<string> {
    const messageId = createId('msg', Date.now())
    const { status, text } = await ben.call('PUT', `/v1/tickets/${id}/messages/${messageId}`, { body })
    expect(status, text).toBe(201)
    return messageId
  }

  /** The mail at its recipient with this message. */
  async function received(address: string, messageId: string) {
    const raw = await soon(async () => {
      for (const { uid } of await dovecot.mails(address)) {
        const mail = await dovecot.read(address, uid)
        if (mail.includes(messageId)) return mail
      }
    })
    const head =
      raw
        .toString()
        .split('\r\n\r\n')[0]
        ?.replaceAll(/\r\n[ \t]+/g, ' ') ?? ''
    return { raw, header: (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '' }
  }

  test(
    'is asked by the connection test whether it delivers subaddresses, and answers find their ticket without them',
    async () => {
      const able = await connected(full)
      expect(able).toMatchObject({ hasSubaddresses: null, authservId: '' })
      expect(await tested(able)).toMatchObject({ learned: { hasSubaddresses: true, authservId: null } })
      expect(await shown(able)).toMatchObject({ hasSubaddresses: true, authservId: '' })

      const unable = await connected(plain)
      await tested(unable)
      expect(await shown(unable)).toMatchObject({ hasSubaddresses: false, authservId: 'mx.helpdesk.test' })

      const id = await opened(unable, { subject: 'Plain address' })
      const answer = await received(ANA, await replied(id))
      expect(answer.header('Reply-To')).toContain(`<${unable.address}>`)
      const headers = [`In-Reply-To: ${answer.header('Message-ID')}`]
      const raw = mail({ to: unable.address, subject: 'Re: Plain address', headers })
      await plain.send({ from: ANA, to: unable.address, raw })
      await until(id, 3)

      // With another address, none of this is known.
      const change = { address: 'moved@helpdesk.test' }
      await ben.call('PATCH', `/console/mailboxes/${unable.id}`, { body: change })
      expect(await shown(unable)).toMatchObject({ hasSubaddresses: null, authservId: '' })
    },
    LONG_TEST_MS,
  )

  test(
    'is believed about the sender of a mail, and nobody else is',
    async () => {
      const box = await connected(plain, { authservId: 'mx.helpdesk.test' })
      const isUnverified = async (subject: string, headers: string[]) => {
        const [first] = await messagesOf(await opened(box, { subject, headers }))
        return (first?.email as { isUnverified?: boolean } | undefined)?.isUnverified ?? false
      }
      expect(await isUnverified('Forged', ['X-Judge: spf=fail; dkim=none; dmarc=fail'])).toBe(true)
      expect(await isUnverified('No rule', ['X-Judge: spf=softfail; dkim=none; dmarc=none'])).toBe(true)
      expect(await isUnverified('Forwarded', ['X-Judge: spf=fail; dkim=pass; dmarc=pass'])).toBe(false)
      expect(await isUnverified('Not checked', [])).toBe(false)
      const other = 'Authentication-Results: mx.evil.test; dmarc=fail'
      expect(await isUnverified('Said by another', [other])).toBe(false)
      const own = 'Authentication-Results: mx.evil.test; dmarc=pass'
      expect(await isUnverified('Praises itself', [own, 'X-Judge: dmarc=fail'])).toBe(true)
    },
    LONG_TEST_MS,
  )

  test(
    'may remove all headers: then a token in the subject leads those who take part to their ticket',
    async () => {
      const box = await connected(full, { hasSubjectTokens: true })
      const id = await opened(box, { subject: 'Broken lamp' })
      const answer = await received(ANA, await replied(id))
      const subject = answer.header('Subject')
      expect(subject).toMatch(/^Re: Broken lamp \[#[0-9a-z]{6}-[0-9a-z]{16}\]$/)
      await full.send({ from: ANA, to: box.address, raw: mail({ to: box.address, subject }) })
      const messages = await until(id, 3)
      // Nobody has to read it here.
      expect(messages.map(({ email }) => (email as { subject: string }).subject)).toEqual([
        'Broken lamp',
        'Re: Broken lamp',
        'Re: Broken lamp',
      ])
      const second = await received(ANA, await replied(id))
      expect(second.header('Subject')).toBe(subject)

      const stranger = mail({ from: DAN, to: box.address, subject })
      await full.send({ from: DAN, to: box.address, raw: stranger })
      await soon(async () => (await ticketsWith(subject)).length === 1)
      expect(await messagesOf(id)).toHaveLength(4)
    },
    LONG_TEST_MS,
  )

  test(
    'need not sign: a mailbox signs with its own key once that is switched on',
    async () => {
      const box = await connected(full)
      const path = `/console/mailboxes/${box.id}/dkim`
      const refused = await ben.call('POST', path, { body: { domain: 'evil.test', selector: 'a b' } })
      expect(refused.json).toMatchObject({
        status: 400,
        errors: [
          { pointer: '/domain', code: 'invalid_domain' },
          { pointer: '/selector', code: 'invalid_selector' },
        ],
      })
      expect((await ben.call('PATCH', path, { body: { isOn: true } })).json).toMatchObject({
        status: 409,
        code: 'no_dkim_key',
      })
      const body = { domain: 'Helpdesk.test', selector: 'bellhop' }
      const made = await ben.call<MailboxJson>('POST', path, { body })
      const { dkim } = made.json
      expect(dkim).toMatchObject({ isOn: false, record: { name: 'bellhop._domainkey.helpdesk.test' } })
      expect(made.text).not.toContain('PRIVATE')
      const records = { [dkim?.record.name ?? '']: dkim?.record.value ?? '' }
      const result = async (id: string) => verifyDkim((await received(ANA, await replied(id))).raw, records)

      const id = await opened(box, { subject: 'Signed' })
      expect(await result(id)).toMatchObject([{ result: 'none' }])
      await ben.call('PATCH', path, { body: { isOn: true } })
      expect(await result(id)).toEqual([{ domain: 'helpdesk.test', result: 'pass' }])
      await ben.call('DELETE', path)
      expect(await result(id)).toMatchObject([{ result: 'none' }])

      // A signature of another domain than the sender's would count for nothing.
      await ben.call('POST', path, { body })
      const moved = { address: `${box.id}@elsewhere.test` }
      await ben.call('PATCH', `/console/mailboxes/${box.id}`, { body: moved })
      expect((await shown(box)).dkim).toBeNull()
    },
    LONG_TEST_MS,
  )

  test(
    'without SMTPUTF8 can not reach every address, which is said at once',
    async () => {
      const [able, unable] = [await connected(full), await connected(plain)]
      const start = async (box: MailboxJson) => {
        const messageId = createId('msg', Date.now())
        const to = [{ name: 'Jörg', address: JOERG }]
        const body = { messageId, mailboxId: box.id, to, subject: 'Grüße', text: 'Hallo' }
        const { json, status, text } = await ben.call<{ id: string }>('POST', '/console/tickets', { body })
        expect(status, text).toBe(201)
        return { id: json.id, messageId }
      }
      const sent = await start(able)
      expect((await received(JOERG, sent.messageId)).header('To')).toContain(JOERG)
      const { id } = await start(unable)
      const failed = await soon(async () =>
        (await messagesOf(id)).find(({ sending }) => sending === 'failed'),
      )
      expect(failed.sendError).toBe(
        `127.0.0.1 can't handle ${JOERG}: it takes only addresses without special letters before the @ (no SMTPUTF8).`,
      )
      // The mailbox itself works, once it has connected.
      await soon(async () => (await shown(unable)).state !== 'connecting')
      expect(await shown(unable)).toMatchObject({ state: 'active' })
    },
    LONG_TEST_MS,
  )
})

/** Looks a few times a second: sessions have a rate limit. */
function soon<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  return eventually(async () => {
    const seen = await look()
    if (!seen) await Bun.sleep(LOOK_EVERY_MS)
    return seen
  })
}

let mails = 0

function mail(given: { from?: string; to: string; subject: string; headers?: string[] }): string {
  mails += 1
  return [
    `From: ${given.from ?? ANA}`,
    `To: ${given.to}`,
    `Message-ID: <${mails}@customer.test>`,
    `Subject: ${given.subject}`,
    ...(given.headers ?? []),
    '',
    'Hello',
    '',
  ].join('\r\n')
}
