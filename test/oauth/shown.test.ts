import { afterAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { connectMcp } from '../support/mcp.ts'
import { connect, register } from '../support/oauth.ts'
import { makeAndReadTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('a ticket shows what a connected program suggests and does, also after it is gone', async () => {
  const client = await bellhop.organization()
  const agent = await signInAgent(bellhop, client.orgId, { name: 'Ada Pires' })
  const clientId = (await register(bellhop, { client_name: 'Claude' })).json.client_id
  const { access_token: key } = await connect(bellhop, agent, { clientId })
  const claude = await connectMcp({ url: bellhop.url, key, path: '/mcp' })
  const { id: ticket, messages } = await makeAndReadTicket(client)
  await claude.call('suggest_reply', { ticket, answers: messages[0]?.id, text: 'It is on its way.' })
  await claude.call('update_ticket', { ticket, addTags: ['invoice'] })
  // A change that its author takes back at once isn't shown. This one is another's.
  await agent.call('PATCH', `/v1/tickets/${ticket}`, { body: { tags: [] } })

  const page = await openPage({ url: bellhop.url, agent })
  await page.goto(`${bellhop.url}/inbox/open/${ticket}`)
  const suggestion = page.getByRole('article', { name: 'Suggested by Claude for Ada Pires' })
  await suggestion.getByText('It is on its way.').waitFor()
  await page.getByText('Ada Pires via Claude added the tag invoice').waitFor()
  await page.getByText('Ada Pires removed the tag invoice').waitFor()

  const { json } = await agent.call<{ data: { id: string }[] }>('GET', '/console/connected-programs')
  await agent.call('DELETE', `/console/connected-programs/${json.data[0]?.id}`)
  await page.reload()
  await page.getByRole('article', { name: 'Suggested by A disconnected program' }).waitFor()
  expect(await page.getByText('Ada Pires via Claude added the tag invoice').count()).toBe(1)
})
