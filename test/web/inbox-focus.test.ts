import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { goToList, makeOrganization, makeTickets, openList, rowOf, waitForFocus } from '../support/inbox.ts'

const bellhop = await sharedBellhop()

browserTest('switching lists by key focuses the first row', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Ways')
  const [resolved] = await makeTickets(client, ['Done', 'Waiting'])
  await agent.call('PATCH', `/v1/tickets/${resolved?.id}`, { body: { status: 'resolved' } })
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await rowOf(page, 'Waiting').click()
  await page.waitForURL('**/inbox/open/tkt_*')
  await goToList(page, 'r')
  await waitForFocus(page, 'Done')
  await goToList(page, 'u')
  await waitForFocus(page, 'Waiting')
  await goToList(page, 'p')
  await page.getByText('No pending tickets').waitFor()
  await page.locator('h1:focus', { hasText: 'Pending' }).waitFor()
})
