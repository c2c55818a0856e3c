import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sweepSlices } from '../../server/attachments/sweep.ts'
import { describeFile } from '../../server/attachments/uploads.ts'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { attachments } from '../../server/database/tables/attachments.ts'
import { mails } from '../../server/database/tables/mailboxes.ts'
import { createId } from '../../server/ids.ts'
import { receiveCustomerMessage } from '../../server/tickets/receive-message.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { sendReply } from '../support/threads.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { download, storedFiles, storedPath, upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const { deps, url } = bellhop
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const root = await signInAgent(bellhop, acme.orgId, { name: 'Root', role: 'admin' })

const isStored = (content: string) => Bun.file(storedPath(deps, content)).exists()
const whichAreStored = async (contents: string[]) => {
  const found = await Promise.all(contents.map(isStored))
  return contents.filter((_, place) => found[place])
}
const idsOfRows = async () => (await deps.database.read.select().from(attachments)).map(({ id }) => id)

const PLACES = ['first message', 'reply', 'waiting reply', 'note', 'draft']

/** A ticket with a file in each place, with the words of the place and `tail` as its content. */
async function ticketWithFiles(tail: string) {
  const [first, reply, waiting, note, draft] = [
    await upload(acme, 'x', `first message${tail}`),
    await upload(acme, 'x', `reply${tail}`),
    await upload(ben, 'x', `waiting reply${tail}`),
    await upload(ben, 'x', `note${tail}`),
    await upload(ben, 'x', `draft${tail}`),
  ]
  const ticket = await makeTicket(acme, { attachments: [first.id] })
  const path = `/console/tickets/${ticket.id}`
  await acme.call('POST', `/tickets/${ticket.id}/messages`, { body: { text: 'x', attachments: [reply.id] } })
  await sendReply(ben, ticket.id, { text: 'x', attachments: [waiting.id] })
  const noteBody = { text: 'x', attachments: [note.id] }
  await ben.call('PUT', `${path}/notes/${createId('not', clock.now())}`, { body: noteBody })
  await ben.call('PUT', `${path}/draft`, { body: { kind: 'reply', text: 'x', attachments: [draft.id] } })
  return { ticket, path, ids: [first.id, reply.id, waiting.id, note.id, draft.id] }
}

describe('the files of a permanently deleted ticket are deleted', () => {
  test('wherever they were', async () => {
    const contents = PLACES.map((place) => `${place} 1`)
    const { path, ids } = await ticketWithFiles(' 1')
    expect(await whichAreStored(contents)).toEqual(contents)
    expect((await root.call('DELETE', path)).status).toBe(204)
    expect(await whichAreStored(contents)).toEqual([])
    expect((await idsOfRows()).filter((id) => ids.includes(id))).toEqual([])
    expect((await download(ben, url, { id: ids[0] ?? '' })).status).toBe(404)
  })

  test('with their customer', async () => {
    const contents = PLACES.map((place) => `${place} 2`)
    const { ticket } = await ticketWithFiles(' 2')
    const { customer } = await readTicket(acme, ticket.id)
    const erased = await root.call('DELETE', `/console/customers/${customer.userId}`)
    expect(erased.status).toBe(200)
    expect(await whichAreStored(contents)).toEqual([])
  })

  test('unless another ticket, an upload, or another organization has the same bytes', async () => {
    const other = await bellhop.organization()
    const [first, second] = [await ticketWithFiles(' 3'), await ticketWithFiles(' 3')]
    await upload(ben, 'y', 'note 3')
    const { id } = await upload(other, 'y', 'reply 3')
    await root.call('DELETE', first.path)
    expect(await whichAreStored(PLACES.map((place) => `${place} 3`))).toHaveLength(PLACES.length)
    await root.call('DELETE', second.path)
    expect(await whichAreStored(PLACES.map((place) => `${place} 3`))).toEqual(['reply 3', 'note 3'])
    expect(await (await download(other, url, { id })).text()).toBe('reply 3')
  })
})

describe('a mail', () => {
  test('keeps its raw file until its ticket is deleted, and its ledger forgets the sender', async () => {
    const mailbox = await createMailbox(deps, acme.orgId, newMailbox())
    await pauseMailbox(deps, acme.orgId, mailbox.id)
    const content = 'From: ana@example.com\r\n\r\nHello'
    using raw = await deps.files.put(Buffer.from(content))
    const ticket = await makeTicket(acme)
    const mail = {
      ...{
        id: deps.newId('eml'),
        orgId: acme.orgId,
        mailboxId: mailbox.id,
        folder: 'INBOX',
        uidValidity: '1',
      },
      ...{ uid: 1, hash: raw.hash, size: raw.size, receivedAt: 0, createdAt: 0, outcome: 'message' as const },
      ...{ fromAddress: 'ana@example.com', subject: 'Hello', ticketId: ticket.id },
    }
    await deps.database.write(undefined, async (tx) => {
      await tx.insert(mails).values(mail)
    })
    raw[Symbol.dispose]()
    const file = await upload(acme, 'mail.eml', content)
    await acme.call('DELETE', `/attachments/${file.id}`)
    expect(await isStored(content)).toBe(true)
    await root.call('DELETE', `/console/tickets/${ticket.id}`)
    expect(await isStored(content)).toBe(false)
    const [left] = await deps.database.read.select().from(mails)
    expect(left).toMatchObject({
      outcome: 'message',
      hash: null,
      fromAddress: '',
      subject: '',
      ticketId: null,
    })
  })

  test('brings its files, which a worker wrote under their hashes', async () => {
    const { id: ticketId } = await makeTicket(acme)
    const content = '<html>Not shown</html>'
    const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
    const path = join(await deps.files.incomingFolder(), hash)
    writeFileSync(path, content)
    using file = await deps.files.adopt(path, hash)
    const received = [{ ...(await describeFile(file, '../photo.png')), contentId: 'a@b', isInline: true }]
    await deps.database.write(undefined, (tx) =>
      receiveCustomerMessage(deps, tx, acme.orgId, {
        ticketId,
        text: 'See below',
        attachments: { received },
      }),
    )
    const message = (await readTicket(acme, ticketId)).messages.at(-1)
    expect(message).toMatchObject({
      text: 'See below',
      attachments: [{ name: 'photo.png', type: 'text/html', size: content.length }],
    })
    const thread = await ben.call('GET', `/console/tickets/${ticketId}`)
    expect(thread.text).toContain('"isInline":true,"contentId":"a@b"')
  })
})

/** Writes a file that is as old. */
function write(path: string, age: number): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'x')
  const at = (clock.now() - age) / 1000
  utimesSync(path, at, at)
  return path
}

/** One sweep of those that the server makes every hour. */
async function sweep(): Promise<void> {
  for await (const _ of sweepSlices(deps));
}

describe('the sweep of every hour', () => {
  test('runs without being asked', async () => {
    const path = write(storedPath(deps, 'at any time'), 2 * HOUR_MS)
    await eventually(() => {
      clock.advance(HOUR_MS)
      return !existsSync(path)
    })
  })

  test('uploads that were not sent for a day are deleted, but not those of drafts', async () => {
    const ticket = await makeTicket(acme)
    const [unsent, dropped, drafted, sent] = [
      await upload(acme, 'x', 'Unsent'),
      await upload(ben, 'x', 'Dropped'),
      await upload(ben, 'x', 'Drafted'),
      await upload(acme, 'x', 'Sent'),
    ]
    const saveDraft = (ids: string[]) =>
      ben.call('PUT', `/console/tickets/${ticket.id}/draft`, {
        body: { kind: 'note', text: 'x', attachments: ids },
      })
    await saveDraft([dropped.id, drafted.id])
    await saveDraft([drafted.id])
    const body = { text: 'x', attachments: [sent.id] }
    await acme.call('POST', `/tickets/${ticket.id}/messages`, { body })
    clock.advance(DAY_MS - HOUR_MS)
    await sweep()
    expect(await idsOfRows()).toEqual(expect.arrayContaining([unsent.id, dropped.id, drafted.id, sent.id]))
    clock.advance(2 * HOUR_MS)
    await sweep()
    const left = await idsOfRows()
    expect([unsent, dropped, drafted, sent].map(({ id }) => left.includes(id))).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(await whichAreStored(['Unsent', 'Dropped', 'Drafted', 'Sent'])).toEqual(['Drafted', 'Sent'])
  })

  test('a file that was taken back with its message waits another day', async () => {
    const ticket = await makeTicket(acme)
    const file = await upload(acme, 'x', 'Scheduled for the day after tomorrow')
    const path = `/tickets/${ticket.id}/messages/${createId('msg', clock.now())}`
    const sendAt = new Date(clock.now() + 2 * DAY_MS).toISOString()
    await acme.call('PUT', path, { body: { text: 'x', sendAt, attachments: [file.id] } })
    clock.advance(DAY_MS + HOUR_MS)
    expect((await acme.call('DELETE', path)).status).toBe(204)
    clock.advance(DAY_MS - HOUR_MS)
    await sweep()
    expect(await idsOfRows()).toContain(file.id)
    clock.advance(2 * HOUR_MS)
    await sweep()
    expect(await idsOfRows()).not.toContain(file.id)
  })

  test('files left by a crash are deleted, except those written within the last hour', async () => {
    const used = await upload(acme, 'x', 'Used')
    const ticket = await makeTicket(acme, { attachments: [used.id] })
    const incoming = await deps.files.incomingFolder()
    const old = [write(storedPath(deps, 'stray'), 2 * HOUR_MS), write(join(incoming, 'old'), 2 * HOUR_MS)]
    const recent = [write(storedPath(deps, 'new stray'), 0), write(join(incoming, 'new'), 0)]
    const exist = (paths: string[]) => Promise.all(paths.map((path) => Bun.file(path).exists()))
    clock.advance(HOUR_MS - 60_000)
    await sweep()
    expect([await exist(old), await exist(recent)]).toEqual([
      [false, false],
      [true, true],
    ])
    clock.advance(HOUR_MS)
    await sweep()
    expect(await exist(recent)).toEqual([false, false])
    expect(await isStored('Used')).toBe(true)
    expect(storedFiles(deps).length).toBeGreaterThan(0)
    expect((await readTicket(acme, ticket.id)).messages).toMatchObject([{ attachments: [{ id: used.id }] }])
  })
})
