import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

interface Row {
  id: string
  preview: { text: string }
  excerpt?: string
}

async function rows(q: string): Promise<Row[]> {
  await indexed(bellhop)
  const answer = await ben.call<{ data: Row[] }>('GET', `/console/tickets?${new URLSearchParams({ q })}`)
  return answer.json.data
}

function write(ticketId: string, body: { text: string; format: string }) {
  return acme.call('PUT', `/tickets/${ticketId}/messages/${createId('msg', Date.now())}`, { body })
}

test('lists and search show the words of a formatted message without its marks', async () => {
  const { id } = await makeTicket(acme)
  const text = 'The **re**fundable _zebra_ is in [our guide](https://a.test/okapi).\n\n1. `walrus`'
  await write(id, { text, format: 'markdown' })
  const [row] = await rows('status:open')
  expect(row?.preview.text).toBe('The refundable zebra is in our guide. 1. walrus')
  expect((await rows('refundable')).map((found) => found.id)).toEqual([id])
  expect((await rows('"refundable zebra"')).map((found) => found.id)).toEqual([id])
  expect((await rows('okapi')).map((found) => found.id)).toEqual([id])
  expect((await rows('zebra')).map(({ excerpt }) => excerpt)).toEqual([
    expect.stringContaining('zebra is in our guide (https://a.test/okapi). 1. walrus'),
  ])
})

test('the marks in a plain message are text', async () => {
  const { id } = await makeTicket(acme)
  await write(id, { text: 'Please **quokka** it', format: 'plain' })
  expect(await rows('quokka')).toMatchObject([{ id, preview: { text: 'Please **quokka** it' } }])
})

test('notes are found without their marks', async () => {
  const { id } = await makeTicket(acme)
  const body = { text: 'Ask the **nar**whal', format: 'markdown' }
  await ben.call('PUT', `/console/tickets/${id}/notes/${createId('not', Date.now())}`, { body })
  expect(await rows('narwhal')).toMatchObject([{ id, excerpt: expect.stringContaining('the narwhal') }])
})
