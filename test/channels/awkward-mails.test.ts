import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { AWKWARD_MAILS, awkwardMail, pythonMails, smallAwkwardMails } from '../support/mail/awkward-mails.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { createTestParser } from '../support/mail/mail-parser.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'

const ALL = [...AWKWARD_MAILS, ...pythonMails()]
const SUPPORT = 'support@helpdesk.test'
const CONTROL = /\p{Cc}/u

test('there are a hundred awkward mails of ours, each by another name, and those of Python', () => {
  expect(AWKWARD_MAILS.length).toBeGreaterThanOrEqual(100)
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length)
  if (process.env.CI) expect(pythonMails()).toHaveLength(47)
  expect(awkwardMail('A body of 25 MB').make().length).toBeGreaterThan(25_000_000)
})

describe('a mail is read for what it says, however awkward:', () => {
  const parser = createTestParser()
  afterAll(() => parser[Symbol.dispose]())

  for (const { name, make, subject, text, sender, files } of ALL) {
    test(name, async () => {
      const result = await parser.parse(make())
      if (result.outcome !== 'parsed') throw new Error(result.reason)
      const { mail } = result
      if (subject !== undefined) expect(mail.subject).toBe(subject)
      if (text !== undefined) expect(mail.text).toContain(text)
      if (sender !== undefined) expect(mail.from?.address ?? null).toBe(sender)
      if (files) expect(mail.attachments.map((one) => one.name)).toEqual(files)
      const lines = [mail.subject, mail.from?.name ?? '', ...mail.attachments.map((one) => one.name)]
      expect(lines.filter((line) => CONTROL.test(line))).toEqual([])
      expect(mail.attachments.filter((one) => /[\\/]|^\.*$/.test(one.name))).toEqual([])
    })
  }
})

describeWithMail('Dovecot', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [SUPPORT]: 'secret' } })
  })
  afterAll(() => dovecot.stop())

  test('hands out every awkward mail', async () => {
    const mails = [...smallAwkwardMails(), ...pythonMails()]
    for (const { make } of mails) dovecot.deliver(SUPPORT, make())
    await dovecot.asUser(SUPPORT, async (client) => {
      const { exists } = await client.mailboxOpen('INBOX')
      expect(exists).toBe(mails.length)
      let received = 0
      for await (const { source } of client.fetch('1:*', { source: true })) received += source ? 1 : 0
      expect(received).toBe(mails.length)
    })
    expect(dovecot.log()).not.toMatch(/Panic|Fatal|imap\(.*Error/)
  })
})
