import { afterAll, beforeAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { makeTickets, openList, rowOf } from '../support/inbox.ts'

let bellhop: Bellhop

beforeAll(async () => {
  bellhop = await startBellhop()
})
afterAll(() => bellhop.stop())

browserTest('what a search has found can be seen in its row, beside long tags', async () => {
  const { client, agent } = await desk('Hits')
  const text = `${'We have written before about this order. '.repeat(8)}Now the samovar leaks.`
  const tags = ['international-delivery', 'very-long-category']
  const [ticket] = await makeTickets(client, ['A question'], { tags, message: text })
  await agent.call('PATCH', `/v1/tickets/${ticket?.id}`, { body: { assignedTo: agent.id } })
  await using window = await openWindow({ ...bellhop, agent })
  const { page } = window
  await openList(page, '/inbox/search?q=samovar')
  const mark = page.locator('.row-foot mark')
  await mark.waitFor()
  expect(await mark.textContent()).toBe('samovar')
  const [hit, line] = [await mark.boundingBox(), await page.locator('.row-foot .row-cut').boundingBox()]
  expect(right(hit)).toBeLessThanOrEqual(right(line))
})

browserTest('the mark of a draft stands apart from the text of the newest message', async () => {
  const { client, agent } = await desk('Drafts')
  const [ticket] = await makeTickets(client, ['Printer'], { message: 'It is on fire.' })
  const path = `/console/tickets/${ticket?.id}/draft`
  await agent.call('PUT', path, { body: { kind: 'reply', text: 'Stand back' } })
  await using window = await openWindow({ ...bellhop, agent })
  const { page } = window
  await openList(page, '/inbox/open')
  const row = rowOf(page, 'Printer')
  await row.getByText('Draft', { exact: true }).waitFor()
  expect(await row.locator('.row-foot').textContent()).toBe('It is on fire.')
})

/** An organization of its own with one agent. */
async function desk(name: string) {
  const client = await bellhop.organization(name)
  return { client, agent: await signInAgent(bellhop, client.orgId) }
}

function right(box: { x: number; width: number } | null): number {
  if (!box) throw new Error('It is not on the page.')
  return box.x + box.width
}
