import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { multipartMail } from '../support/mail/mail-parser.ts'
import { indexed } from '../support/search.ts'
import { addNote } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ledger = await openLedger(bellhop, acme.orgId)

async function found(q: string): Promise<string[]> {
  await indexed(bellhop)
  const path = `/console/tickets?limit=100&q=${encodeURIComponent(q)}`
  const answer = await ben.call<{ data: { id: string }[] }>('GET', path)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.data.map(({ id }) => id)
}

test('a ticket is found by everyone on its mails, and by the names of their files', async () => {
  const mail = await ledger.fetched(
    multipartMail(
      'mixed',
      [
        'Content-Type: text/plain\r\n\r\nSee the file.',
        'Content-Type: application/pdf\r\nContent-Disposition: attachment; filename="Rechnung-März.pdf"\r\n\r\n%PDF-1.4',
      ],
      'Cc: Zoë Zebra <legal.dept@stripes.test>',
    ),
  )
  const ids = [mail.ticketId ?? '']
  expect(await found('zoe zebra')).toEqual(ids)
  expect(await found('legal.dept@stripes.test')).toEqual(ids)
  expect(await found('rechnung-marz.pdf')).toEqual(ids)
  // Only the customer is searched by `from:`.
  expect(await found('from:zebra')).toEqual([])
})

test('a ticket is found by the name of a file in a note, and not by one that was not sent', async () => {
  const { id } = await makeTicket(acme)
  const [sent, unsent] = [await upload(ben, 'contract-7781.txt'), await upload(ben, 'secret-7782.txt')]
  const note = `/console/tickets/${id}/notes/${bellhop.deps.newId('not')}`
  const added = await ben.call('PUT', note, { body: { text: 'The file', attachments: [sent.id] } })
  expect(added.status, added.text).toBe(201)
  const draft = { kind: 'reply', text: 'Soon', attachments: [unsent.id] }
  await ben.call('PUT', `/console/tickets/${id}/draft`, { body: draft })
  await addNote(ben, id, 'Another')
  expect(await found('contract-7781.txt')).toEqual([id])
  expect(await found('secret-7782')).toEqual([])
})
