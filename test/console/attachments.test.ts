import { afterAll, describe, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { PNG } from '../support/images.ts'
import { type ReplyJson, readThread, replyPath, sendReply, type ThreadJson } from '../support/threads.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'

const clock = createManualClock()
const settings = { BELLHOP_ATTACHMENTS_PER_MESSAGE: '3' }
const bellhop = await startBellhop({ clock, settings })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima', role: 'admin' })

const saveDraft = (agent: SignedInAgent, ticketId: string, draft: object) =>
  agent.call<{ savedAt: string }>('PUT', `/console/tickets/${ticketId}/draft`, {
    body: { kind: 'reply', ...draft },
  })
const putNote = (agent: SignedInAgent, ticketId: string, noteId: string, body: object) =>
  agent.call<ThreadJson['timeline'][number]>('PUT', `/console/tickets/${ticketId}/notes/${noteId}`, { body })
const newNoteId = () => createId('not', clock.now())
const takeBack = (agent: SignedInAgent, ticketId: string, { id }: { id: string }) =>
  agent.call('DELETE', replyPath(ticketId, id))
/** The id of each file in an agent's draft of a reply. */
const drafted = async (agent: SignedInAgent, ticketId: string) =>
  (await readThread(agent, ticketId)).drafts
    .find(({ kind }) => kind === 'reply')
    ?.attachments?.map(({ id }) => id)
const faultsOf = (answer: Parameters<typeof problemOf>[0]) =>
  problemOf(answer, 400, 'invalid_request').errors?.map(({ pointer, code }) => `${pointer} ${code}`)

describe('a thread', () => {
  test('shows the files of messages, notes and waiting replies, with the dimensions of images', async () => {
    const { id } = await makeTicket(acme)
    const photo = await upload(ben, 'photo.png', PNG)
    expect(photo).toMatchObject({ type: 'image/png', width: 3, height: 2 })
    const [letter, list] = [await upload(ben, 'letter.txt'), await upload(ben, 'list.csv')]
    await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'Photo', attachments: [photo.id] } })
    await putNote(ben, id, newNoteId(), { text: 'Letter', attachments: [letter.id] })
    await sendReply(ben, id, { text: 'List', attachments: [list.id] })
    const { timeline, waiting } = await readThread(ana, id)
    expect(timeline.map(({ text, attachments }) => [text, attachments])).toEqual([
      ['My invoice for February is missing.', undefined],
      ['Photo', [photo]],
      ['Letter', [letter]],
    ])
    expect(waiting.map(({ attachments }) => attachments)).toEqual([[list]])
  })
})

describe('a note', () => {
  test('can be a file without a text, and is the same note when it is sent again', async () => {
    const { id } = await makeTicket(acme)
    const [file, other] = [await upload(ben), await upload(ben)]
    const noteId = newNoteId()
    const first = await putNote(ben, id, noteId, { text: '', attachments: [file.id] })
    expect([first.status, first.json.attachments]).toEqual([201, [file]])
    const again = await putNote(ben, id, noteId, { text: '', attachments: [file.id] })
    expect([again.status, again.json.attachments]).toEqual([200, [file]])
    problemOf(await putNote(ben, id, noteId, { text: '', attachments: [other.id] }), 409, 'note_id_taken')
    expect(faultsOf(await putNote(ben, id, newNoteId(), { text: '' }))).toEqual(['/text too_short'])
    expect(faultsOf(await putNote(ana, id, newNoteId(), { text: '', attachments: [other.id] }))).toEqual([
      '/attachments/0 unknown_attachment',
    ])
  })

  test('shows its files to agents only', async () => {
    const { id } = await makeTicket(acme)
    const file = await upload(ben)
    await putNote(ben, id, newNoteId(), { text: 'Internal', attachments: [file.id] })
    expect((await acme.call('GET', `/tickets/${id}`)).text).not.toContain(file.id)
  })
})

describe('a draft', () => {
  test('keeps its files in order, also without a text, until both are gone', async () => {
    const { id } = await makeTicket(acme)
    const [first, second] = [await upload(ben), await upload(ben)]
    await saveDraft(ben, id, { text: '', attachments: [second.id, first.id] })
    expect(await drafted(ben, id)).toEqual([second.id, first.id])
    expect(await drafted(ana, id)).toBeUndefined()
    await saveDraft(ben, id, { text: 'Without', attachments: [first.id] })
    expect(await drafted(ben, id)).toEqual([first.id])
    await saveDraft(ben, id, { text: '', attachments: [] })
    expect((await readThread(ben, id)).drafts).toEqual([])
  })

  test('takes only uploads of its agent that are not sent', async () => {
    const { id } = await makeTicket(acme)
    const [sent, foreign] = [await upload(ben), await upload(ana)]
    await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'x', attachments: [sent.id] } })
    const answer = await saveDraft(ben, id, { text: 'x', attachments: [sent.id, foreign.id] })
    expect(faultsOf(answer)).toEqual([
      '/attachments/0 unknown_attachment',
      '/attachments/1 unknown_attachment',
    ])
    expect((await readThread(ben, id)).drafts).toEqual([])
  })

  test('with another file from another device is not overwritten, and not ended by sending', async () => {
    const { id } = await makeTicket(acme)
    const [first, second] = [await upload(ben), await upload(ben)]
    const { json } = await saveDraft(ben, id, { text: 'Hello', attachments: [first.id] })
    await saveDraft(ben, id, { text: 'Hello', attachments: [first.id, second.id], base: json.savedAt })
    const stale = { text: 'Hello', attachments: [first.id], base: json.savedAt }
    problemOf(await saveDraft(ben, id, stale), 409, 'draft_changed')
    await sendReply(ben, id, { text: 'Hello', attachments: [first.id] })
    expect(await drafted(ben, id)).toEqual([second.id])
    // What was sent or deleted is not part of it.
    await ben.call('DELETE', `/v1/attachments/${second.id}`)
    expect(await drafted(ben, id)).toBeUndefined()
    expect((await saveDraft(ben, id, { text: 'Hello there', base: json.savedAt })).status).toBe(200)
  })

  test('ends when it is sent with all of its files', async () => {
    const { id } = await makeTicket(acme)
    const file = await upload(ben)
    await saveDraft(ben, id, { text: '', attachments: [file.id] })
    await sendReply(ben, id, { text: '', attachments: [file.id] })
    expect((await readThread(ben, id)).drafts).toEqual([])
  })
})

describe('a reply that is taken back', () => {
  test('returns its files to the draft, before those added since, and they can be sent again', async () => {
    const { id } = await makeTicket(acme)
    const [first, second, added] = [await upload(ben), await upload(ben), await upload(ben)]
    const reply = await sendReply(ben, id, { text: 'Two files', attachments: [second.id, first.id] })
    await saveDraft(ben, id, { text: 'And another', attachments: [added.id] })
    expect((await takeBack(ben, id, reply)).status).toBe(204)
    const { drafts, waiting } = await readThread(ben, id)
    expect(waiting).toEqual([])
    expect(drafts).toMatchObject([{ text: 'Two files\n\nAnd another' }])
    expect(await drafted(ben, id)).toEqual([second.id, first.id, added.id])
    const again = { text: 'All', attachments: [first.id, second.id, added.id] }
    expect((await ben.call('POST', `/v1/tickets/${id}/messages`, { body: again })).status).toBe(201)
  })

  test('of a disabled agent gives its files to the agent who takes it back', async () => {
    const { id } = await makeTicket(acme)
    const dan = await signInAgent(bellhop, acme.orgId, { name: 'Dan Roy' })
    const file = await upload(dan)
    const reply = await sendReply(dan, id, { text: 'On my last day', attachments: [file.id] })
    await ana.call('POST', `/console/agents/${dan.id}/disable`)
    expect((await takeBack(ben, id, reply)).status).toBe(204)
    expect(await drafted(ben, id)).toEqual([file.id])
    const body = { text: 'From Dan', attachments: [file.id] }
    expect((await ben.call('POST', `/v1/tickets/${id}/messages`, { body })).status).toBe(201)
  })

  test('stays, held, when it and the draft have too many files together', async () => {
    const { id } = await makeTicket(acme)
    const files = await Promise.all(Array.from({ length: 4 }, () => upload(ben)))
    const [one, two, three, four] = files.map((file) => file.id)
    const reply = await sendReply(ben, id, { text: 'x', attachments: [one ?? '', two ?? ''] })
    await saveDraft(ben, id, { text: 'y', attachments: [three, four] })
    problemOf(await takeBack(ben, id, reply), 409, 'draft_too_long')
    const { waiting } = await readThread(ben, id)
    expect(waiting.map(({ isHeld, attachments }: ReplyJson) => [isHeld, attachments?.length])).toEqual([
      [true, 2],
    ])
    expect(await drafted(ben, id)).toEqual([three ?? '', four ?? ''])
  })
})

test('a held reply keeps its files, and sends them when its agent decides so', async () => {
  const { id } = await makeTicket(acme)
  const file = await upload(ben)
  const { timeline } = await readThread(ben, id)
  await ana.call('POST', `/v1/tickets/${id}/messages`, { body: { text: 'I answered first' } })
  const after = timeline.at(-1)?.id ?? ''
  const reply = await sendReply(ben, id, { text: 'Too late', after, attachments: [file.id] })
  expect((await readThread(ben, id)).waiting).toMatchObject([{ isHeld: true, attachments: [file] }])
  expect((await ben.call('POST', `/console/tickets/${id}/messages/${reply.id}/send`)).status).toBe(204)
  const sent = (await readThread(ben, id)).timeline.findLast(({ kind }) => kind === 'message')
  expect(sent).toMatchObject({ text: 'Too late', attachments: [file] })
})
