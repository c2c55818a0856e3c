import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { addLongThread } from '../support/mail/long-thread.ts'
import { readThread } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'

const MAX_BYTES = 1_000_000
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

test('a thread of 300 mails that quote 30 KB each is less than a megabyte', async () => {
  const client = await bellhop.organization()
  const ben = await signInAgent(bellhop, client.orgId)
  const { id: ticketId } = await makeTicket(client)
  await addLongThread(bellhop.deps, { orgId: client.orgId, ticketId }, { mails: 300, quoted: 30_000 })
  const answer = await fetch(`${bellhop.url}/console/tickets/${ticketId}`, {
    headers: { cookie: ben.cookie, 'accept-encoding': 'identity' },
  })
  expect(answer.status).toBe(200)
  const body = await answer.text()
  expect(JSON.parse(body).timeline).toHaveLength(301)
  expect(Buffer.byteLength(body)).toBeLessThan(MAX_BYTES)

  const mail = (await readThread(ben, ticketId)).timeline.find(({ email }) => email)
  const contents = await ben.call<{ quoted: string }>(
    'GET',
    `/console/tickets/${ticketId}/messages/${mail?.id}/contents`,
  )
  expect(contents.json.quoted.length).toBeGreaterThanOrEqual(30_000)
})
