import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signInAgent } from '../support/agents.ts'
import type { Client } from '../support/bellhop.ts'
import type { ArrivingFile } from '../support/folder-channel/folder-channel.ts'
import { type SeparateBellhop, startSeparateBellhop } from '../support/separate-bellhop.ts'
import { eventually } from '../support/webhooks.ts'

// A channel that the program doesn't know, registered beside its own: nothing else has to be told.

const SERVER = [process.execPath, join(import.meta.dir, '../support/folder-channel/serve.ts')]
const root = mkdtempSync(join(tmpdir(), 'folder-channel-'))
let bellhop: SeparateBellhop
let acme: Client
let files = 0

beforeAll(async () => {
  bellhop = await startSeparateBellhop({ FOLDER_CHANNEL: root }, SERVER)
  acme = await bellhop.organization()
})
afterAll(async () => {
  await bellhop[Symbol.asyncDispose]()
  rmSync(root, { recursive: true })
})

function arrive(file: ArrivingFile): void {
  files += 1
  writeFileSync(join(root, 'in', `${files}.json`), JSON.stringify(file))
}

/** Texts that were sent to a person, oldest first. */
function sentTo(person: string): string[] {
  const out = readdirSync(join(root, 'out')).sort()
  return out
    .map((name) => JSON.parse(readFileSync(join(root, 'out', name), 'utf8')))
    .filter((sent) => sent.person === person)
    .map((sent) => sent.text)
}

async function ticketOf(subject: string) {
  const { json } = await acme.call('GET', '/tickets?channel=folder')
  const listed: { id: string; subject: string; channel: string }[] = Object(json).data
  return listed.find((ticket) => ticket.subject === subject)
}

/** A customer writes. Returns the id of their ticket. */
async function openedBy(from: string, text: string): Promise<string> {
  arrive({ from, text })
  const ticket = await eventually(() => ticketOf(text))
  expect(ticket.channel).toBe('folder')
  return ticket.id
}

async function messagesOf(id: string): Promise<{ text: string; delivery?: object }[]> {
  return Object((await acme.call('GET', `/tickets/${id}`)).json).messages
}

async function reply(id: string, text: string): Promise<void> {
  const { status } = await acme.call('POST', `/tickets/${id}/messages`, { body: { text } })
  expect(status).toBe(201)
}

test('a message of a new channel opens a ticket, the next one continues it, and the reply leaves', async () => {
  const id = await openedBy('ana', 'Where is my parcel?')
  await reply(id, 'On its way.')
  await eventually(() => sentTo('ana').includes('On its way.'))
  arrive({ from: 'ana', text: 'Thanks!' })
  const thread = await eventually(async () => {
    const all = await messagesOf(id)
    return all.length === 3 ? all : undefined
  })
  expect(thread.map(({ text }) => text)).toEqual(['Where is my parcel?', 'On its way.', 'Thanks!'])
  expect(thread[1]?.delivery).toMatchObject({ by: 'folder', state: 'sent' })
})

test('a refused reply fails with the words of the channel', async () => {
  const id = await openedBy('bo', 'Hello')
  writeFileSync(join(root, 'blocked-bo'), '')
  await reply(id, 'Good morning')
  await eventually(async () => JSON.stringify(await messagesOf(id)).includes('bo reads no files.'))
  expect(sentTo('bo')).toEqual([])
})

test('a reply is tried again until the channel is reachable', async () => {
  const id = await openedBy('cy', 'Are you there?')
  writeFileSync(join(root, 'unreachable'), '')
  await reply(id, 'Yes')
  await eventually(async () => JSON.stringify(await messagesOf(id)).includes('The folder is unreachable.'))
  rmSync(join(root, 'unreachable'))
  await eventually(() => sentTo('cy').includes('Yes'))
})

test('while the channel is paused replies wait and agents see why', async () => {
  const id = await openedBy('di', 'Is it open?')
  writeFileSync(join(root, 'paused'), '')
  await reply(id, 'We open at nine')
  const ana = await signInAgent(bellhop, acme.orgId)
  const { json } = await ana.call('GET', `/console/tickets/${id}`)
  const problem = { effect: 'waits', reason: `The folder ${root} is paused.`, setting: 'folder' }
  expect(json).toMatchObject({ reply: { by: 'folder', problem } })
  expect(sentTo('di')).toEqual([])
  rmSync(join(root, 'paused'))
  // Whatever is sent next finds the channel open again.
  await reply(id, 'And close at five')
  await eventually(() => sentTo('di').length === 2)
  expect(sentTo('di')).toEqual(['We open at nine', 'And close at five'])
})
