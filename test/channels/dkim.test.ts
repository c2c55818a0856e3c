import { expect, test } from 'bun:test'
import { createTransport } from 'nodemailer'
import { makeDkimKey, verifyDkim } from '../support/mail/dkim.ts'

test('the DKIM verifier of the tests tells a good signature from a changed mail, a wrong key and none', async () => {
  const { privateKey, record } = makeDkimKey()
  const transport = createTransport({ streamTransport: true, buffer: true })
  const mail = { from: 'support@helpdesk.test', to: 'ana@customer.test', subject: 'Hello', text: 'Grüße' }
  const dkim = { domainName: 'helpdesk.test', keySelector: 's', privateKey }
  const signed = Buffer.from(String((await transport.sendMail({ ...mail, dkim })).message))
  const records = { 's._domainkey.helpdesk.test': record }
  const result = async (raw: Buffer, given: Record<string, string>) =>
    (await verifyDkim(raw, given))[0]?.result
  expect(await verifyDkim(signed, records)).toEqual([{ domain: 'helpdesk.test', result: 'pass' }])
  expect(await result(Buffer.from(signed.toString().replace('Hello', 'Hallo')), records)).toBe('fail')
  expect(await result(signed, { 's._domainkey.helpdesk.test': makeDkimKey().record })).toBe('fail')
  expect(await result(signed, {})).not.toBe('pass')
  const plain = Buffer.from(String((await transport.sendMail(mail)).message))
  expect((await verifyDkim(plain, records)).every(({ result: one }) => one === 'none')).toBe(true)
})
