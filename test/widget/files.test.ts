import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { paintedPng } from '../support/images.ts'
import { upload } from '../support/uploads.ts'
import { openWidget, type VisitorPage } from '../support/visitors.ts'

const bellhop = await startBellhop()
const { deps } = bellhop
afterAll(() => bellhop.stop())
const { orgId } = await bellhop.organization()
const widget = await openWidget(bellhop, orgId)
const ana = await signInAgent(bellhop, orgId, { name: 'Ana' })

async function uploaded(
  page: VisitorPage,
  name: string,
  raw: string | Uint8Array<ArrayBuffer> = 'A file',
): Promise<string> {
  const answer = await page.call<{ id: string }>('POST', `/files?name=${encodeURIComponent(name)}`, { raw })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id
}

test('a file goes both ways, with its name and what it really is', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  const id = await uploaded(page, 'screen shot.png', paintedPng(40, 30))
  const sent = await page.write('', { conversation: conversation.id, body: { attachments: [id] } })
  const shown = { id, name: 'screen shot.png', type: 'image/png', width: 40, height: 30 }
  expect([sent.status, sent.json.message.attachments]).toMatchObject([201, [shown]])
  expect(sent.json.conversation.preview.text).toBe('screen shot.png')
  const seen = await ana.call('GET', `/v1/attachments/${id}`)
  expect(seen.status).toBe(200)
  const invoice = await upload(ana, 'invoice.html', '<script>alert(1)</script>')
  const body = { text: 'Your invoice', attachments: [invoice.id] }
  await ana.call('PUT', `/v1/tickets/${conversation.id}/messages/${deps.newId('msg')}`, { body })
  const { messages } = await page.messages(conversation.id)
  expect(messages.at(-1)?.attachments).toMatchObject([{ id: invoice.id, name: 'invoice.html' }])
  const file = await page.call('GET', `/files/${invoice.id}`)
  expect(file.text).toBe('<script>alert(1)</script>')
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-disposition': expect.stringMatching(/^attachment/),
    'content-security-policy': "default-src 'none'; sandbox",
    vary: expect.stringContaining('Origin'),
  })
})

test('a first message can have files only after another, and a ticket without text is named for its file', async () => {
  const page = await widget.visit()
  await page.say('Hello')
  const id = await uploaded(page, 'broken.txt')
  const { json } = await page.write('', { body: { attachments: [id] } })
  const ticket = await ana.call('GET', `/v1/tickets/${json.conversation.id}`)
  expect(ticket.json).toMatchObject({ subject: 'broken.txt' })
})

test('a file of notes, of replies that wait, and of other visitors is not there', async () => {
  const [bo, eve] = [await widget.visit(), await widget.visit()]
  const { conversation } = await bo.say('Hello')
  await eve.say('Hello')
  const [inNote, waiting] = [await upload(ana), await upload(ana)]
  const at = `/console/tickets/${conversation.id}`
  const note = { text: 'x', attachments: [inNote.id] }
  await ana.call('PUT', `${at}/notes/${deps.newId('not')}`, { body: note })
  const sendAt = new Date(Date.now() + 600_000).toISOString()
  const reply = { text: 'x', sendAt, attachments: [waiting.id] }
  const path = `/v1/tickets/${conversation.id}/messages/${deps.newId('msg')}`
  expect((await ana.call('PUT', path, { body: reply })).status).toBe(201)
  const own = await uploaded(bo, 'own.txt')
  expect((await bo.call('GET', `/files/${own}`)).status).toBe(200)
  for (const id of [inNote.id, waiting.id, 'att_x']) {
    expect((await bo.call('GET', `/files/${id}`)).status).toBe(404)
  }
  expect((await eve.call('GET', `/files/${own}`)).status).toBe(404)
  const stolen = await eve.write('x', { body: { attachments: [own] } })
  expect([stolen.status, stolen.text]).toMatchObject([400, expect.stringContaining('unknown_attachment')])
  await bo.write('x', { conversation: conversation.id, body: { attachments: [own] } })
  expect((await eve.call('GET', `/files/${own}`)).status).toBe(404)
})

test('an upload that is empty, compressed, or without a name is refused', async () => {
  const page = await widget.visit()
  await page.say('Hello')
  const tried = [
    await page.call('POST', '/files?name=a.txt', { raw: '' }),
    await page.call('POST', '/files', { raw: 'x' }),
    await page.call('POST', '/files?name=a.txt', { raw: 'x', headers: { 'content-encoding': 'gzip' } }),
  ]
  expect(tried.map(({ status }) => status)).toEqual([400, 400, 415])
})
