import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type EntryJson, readThread } from '../support/threads.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })

const newId = () => createId('not', clock.now())
const put = (agent: SignedInAgent, ticketId: string, noteId: string, text: string) =>
  agent.call<EntryJson>('PUT', `/console/tickets/${ticketId}/notes/${noteId}`, { body: { text } })
const notesOf = async (ticketId: string) =>
  (await readThread(ben, ticketId)).timeline.filter(({ kind }) => kind === 'note')

test('a note that is sent again because the answer was lost is one note', async () => {
  const { id } = await makeTicket(acme)
  const noteId = newId()
  const answers = await Promise.all(Array.from({ length: 4 }, () => put(ben, id, noteId, 'Ask Dana.')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
  for (const { json } of answers) {
    expect(json).toMatchObject({ id: noteId, kind: 'note', text: 'Ask Dana.', agentName: 'Ben Okafor' })
  }
  expect((await put(ben, id, newId(), 'Ask Dana.')).status).toBe(201)
  expect(await notesOf(id)).toHaveLength(2)
  clock.advance(3 * DAY_MS)
  expect((await put(ben, id, noteId, 'Ask Dana.')).status).toBe(200)
})

test('a note has the format it was written in', async () => {
  const { id } = await makeTicket(acme)
  const noteId = newId()
  const putFormatted = (format: string) =>
    ben.call<EntryJson>('PUT', `/console/tickets/${id}/notes/${noteId}`, {
      body: { text: '**Ask**', format },
    })
  expect((await putFormatted('markdown')).json).toMatchObject({ text: '**Ask**', format: 'markdown' })
  problemOf(await putFormatted('plain'), 409, 'note_id_taken')
  problemOf(await putFormatted('html'), 400, 'invalid_request')
  await put(ben, id, newId(), '**Ask**')
  expect((await notesOf(id)).map(({ format }) => format)).toEqual(['markdown', 'plain'])
})

test('an id belongs to one note of one agent', async () => {
  const [{ id }, { id: otherId }] = [await makeTicket(acme), await makeTicket(acme)]
  const noteId = newId()
  await put(ben, id, noteId, 'Ask Dana.')
  problemOf(await put(ben, id, noteId, 'Ask Dana tomorrow.'), 409, 'note_id_taken')
  problemOf(await put(ana, id, noteId, 'Ask Dana.'), 409, 'note_id_taken')
  problemOf(await put(ben, otherId, noteId, 'Ask Dana.'), 409, 'note_id_taken')
  const other = await bellhop.organization()
  const eve = await signInAgent(bellhop, other.orgId, { name: 'Eve' })
  problemOf(await put(eve, (await makeTicket(other)).id, noteId, 'Ask Dana.'), 409, 'note_id_taken')
  expect(await notesOf(id)).toHaveLength(1)
})

test('an id must be one of a note, made about now', async () => {
  const { id } = await makeTicket(acme)
  for (const [noteId, code] of [
    ['not_1', 'invalid_id'],
    [createId('msg', clock.now()), 'invalid_id'],
    [createId('not', clock.now() - 2 * DAY_MS), 'id_out_of_time'],
  ] as const) {
    const { errors } = problemOf(await put(ben, id, noteId, 'Hello'), 400, 'invalid_request')
    expect(errors).toMatchObject([{ parameter: 'noteId', code }])
  }
  expect(await notesOf(id)).toEqual([])
})
