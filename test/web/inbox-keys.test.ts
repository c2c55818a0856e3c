import { expect } from 'bun:test'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import {
  goToList,
  makeOrganization,
  makeTickets,
  openList,
  rowOf,
  statusOf,
  subjectsOf,
  waitForFocus,
  waitForStatus,
} from '../support/inbox.ts'
import type { TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('an agent works through the list without a mouse', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Daily')
  const [first, second, third] = await makeTickets(client, ['First', 'Second', 'Third'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/unassigned')
  const { keyboard } = page

  await keyboard.press('j')
  await waitForFocus(page, 'Second')
  await keyboard.press('k')
  await waitForFocus(page, 'Third')
  await keyboard.press('ArrowDown')
  await waitForFocus(page, 'Second')
  await keyboard.press('Enter')
  await page.waitForURL(`**/unassigned/${second?.id}`)
  await page.getByRole('article', { name: 'Ticket' }).waitFor()
  await keyboard.press('j')
  await page.waitForURL(`**/unassigned/${first?.id}`)
  await keyboard.press('u')
  await page.getByText('Select a ticket').waitFor()
  await page.waitForURL('**/inbox/unassigned')
  await waitForFocus(page, 'First')

  await keyboard.press('k')
  await keyboard.press('i')
  await rowOf(page, 'Second').filter({ hasText: 'Assigned to Ben Okafor' }).waitFor()
  await waitForFocus(page, 'Second')
  await keyboard.press('ControlOrMeta+z')
  await rowOf(page, 'Second')
    .filter({ hasNotText: /Assigned to|No longer in this view/ })
    .waitFor()

  await keyboard.press('k')
  await keyboard.press('Shift+E')
  await rowOf(page, 'Third').filter({ hasText: 'Moved to Resolved' }).waitFor()
  await waitForFocus(page, 'Second')
  await keyboard.press('p')
  await waitForStatus(agent, String(third?.id), 'resolved')
  await waitForStatus(agent, String(second?.id), 'pending')

  await goToList(page, 'p')
  await page.waitForURL('**/inbox/pending')
  await rowOf(page, 'Second').waitFor()
  await keyboard.press('j')
  await keyboard.press('!')
  await rowOf(page, 'Second').filter({ hasText: 'Marked as spam' }).waitFor()
  await page.getByRole('link', { name: 'Spam 1' }).waitFor()
})

browserTest('undo after resolve and next returns to the ticket', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Back')
  const [first, second] = await makeTickets(client, ['First', 'Second'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, `/inbox/open/${second?.id}`)
  await page.getByRole('article', { name: 'Ticket' }).getByRole('button', { name: 'Open' }).waitFor()
  await page.keyboard.press('Shift+E')
  await page.waitForURL(`**/${first?.id}`)
  await waitForStatus(agent, String(second?.id), 'resolved')
  await page.keyboard.press('ControlOrMeta+z')
  await page.waitForURL(`**/${second?.id}`)
  await waitForStatus(agent, String(second?.id), 'open')
})

browserTest('skip links lead to the list and to the open ticket', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Skip')
  const [ticket] = await makeTickets(client, ['Printer'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, `/inbox/open/${ticket?.id}`)
  await page.getByRole('button', { name: 'Skip to ticket' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('article:focus').waitFor()
  await page.getByRole('button', { name: 'Skip to list' }).focus()
  await page.keyboard.press('Enter')
  await waitForFocus(page, 'Printer')
  expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Printer'])
})

browserTest('several tickets are selected, changed and undone at once', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Bulk')
  const tickets = await makeTickets(client, ['One', 'Two', 'Three', 'Four'])
  const ids = tickets.map(({ id }) => id)
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  const { keyboard } = page
  await rowOf(page, 'Four').focus()
  await keyboard.press('x')
  await keyboard.press('Shift+J')
  await keyboard.press('Shift+J')
  await page.getByRole('toolbar', { name: 'Selected tickets' }).getByText('3 selected').waitFor()
  await keyboard.press('Shift+K')
  await page.getByText('2 selected').waitFor()
  await keyboard.press('Escape')
  await page.getByRole('toolbar').waitFor({ state: 'detached' })

  await rowOf(page, 'Four').locator('[data-check]').click()
  await rowOf(page, 'Two').click({ modifiers: ['Shift'] })
  expect(page.url()).toEndWith('/inbox/open')
  await page.getByText('3 selected').waitFor()
  await page.getByRole('button', { name: 'Tags' }).click()
  await page.getByRole('combobox', { name: 'Tag 3 tickets' }).fill('urgent')
  await keyboard.press('Enter')
  await keyboard.press('Escape')
  await rowOf(page, 'Two').filter({ hasText: 'urgent' }).waitFor()
  await keyboard.press('a')
  await page.getByRole('combobox', { name: 'Assign 3 tickets' }).fill('unassigned')
  await keyboard.press('Enter')
  await page.getByText('Unassigned: 3 tickets').waitFor()
  await rowOf(page, 'Four').locator('[data-check]').click()
  await rowOf(page, 'Two').click({ modifiers: ['Shift'] })
  expect(await rowOf(page, 'One').textContent()).not.toContain('urgent')

  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  // The pointer on it stops its time.
  await page.getByText('Resolved: 3 tickets').hover()
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
  for (const id of ids.slice(1)) await waitForStatus(agent, id, 'resolved')
  expect(await statusOf(agent, String(ids[0]))).toBe('open')

  await page.getByRole('button', { name: 'Undo Ctrl Z' }).or(page.locator('.toaster-action')).first().click()
  for (const id of ids) await waitForStatus(agent, id, 'open')
  await page.getByText('Moved to Resolved').first().waitFor({ state: 'detached' })
  const { json } = await agent.call<TicketJson>('GET', `/v1/tickets/${ids[1]}`)
  expect(json.tags).toEqual(['urgent'])
})

browserTest('a change the server refuses is rolled back on the page', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Refused')
  await makeTickets(client, ['First', 'Second'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await interceptRequests(page, '**/console/bulk', (route) => route.abort())
  await rowOf(page, 'Second').focus()
  await page.keyboard.press('e')
  await page
    .getByRole('alert')
    .filter({ hasText: /Couldn't resolve Ana Pires's ticket\..*reach the server/ })
    .waitFor()
  expect(await page.locator('.toaster-toast').count()).toBe(1)
  await rowOf(page, 'Second').filter({ hasNotText: 'Moved to' }).waitFor()
  await waitForFocus(page, 'Second')

  await page.keyboard.press('x')
  await page.keyboard.press('Shift+J')
  await page.keyboard.press('p')
  await page.getByRole('alert').filter({ hasText: "Couldn't set 2 tickets to pending." }).waitFor()
  // To try it again, nothing has to be selected anew.
  await page.getByRole('toolbar', { name: 'Selected tickets' }).getByText('2 selected').waitFor()
  await waitForFocus(page, 'First')
})

browserTest('a button with a key announces it to screen readers', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Key hints')
  const [ticket] = await makeTickets(client, ['Printer'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, `/inbox/open/${ticket?.id}`)
  const keyOf = (name: string) => page.getByRole('button', { name }).getAttribute('aria-keyshortcuts')
  expect(await keyOf('Next ticket')).toBe('j')
  expect(await keyOf('Sort')).toBeNull()
  expect(await page.locator('[aria-keyshortcuts="false"]').count()).toBe(0)
})

browserTest('keys do nothing while typing, and the shortcuts dialog lists them all', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Typing')
  const [ticket] = await makeTickets(client, ['Printer'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await page.keyboard.press('/')
  await page.locator('[role=combobox]:focus').waitFor()
  await page.keyboard.type('jeep?')
  expect(await page.getByRole('combobox', { name: 'Search tickets' }).inputValue()).toBe('jeep?')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  expect(await statusOf(agent, String(ticket?.id))).toBe('open')

  await rowOf(page, 'Printer').focus()
  await page.keyboard.press('Shift+?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByText('Resolve and next', { exact: true }).waitFor()
  for (const label of [
    'Internal note',
    'Next ticket',
    'Assign to me',
    'Mark as spam',
    'Go to Unassigned',
    'Command menu',
    // These need an open ticket.
    'Merge into…',
    'Follow',
    'Bold',
  ]) {
    expect(await sheet.getByText(label, { exact: true }).count(), label).toBe(1)
  }
  await page.keyboard.press('e')
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await waitForFocus(page, 'Printer')
  expect(await statusOf(agent, String(ticket?.id))).toBe('open')
})

browserTest('the command menu finds commands, views, agents and tickets by a few letters', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Palette')
  const [printer] = await makeTickets(client, ['Printer on fire', 'Other'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  const field = page.getByRole('combobox', {
    name: 'Search commands, views, agents, tickets and saved replies',
  })

  await page.keyboard.press('ControlOrMeta+k')
  // The ticket that is changed is named; moving through the list is left to the keys.
  await page.getByRole('dialog').getByText('Ana Pires · Other').waitFor()
  expect(await page.getByRole('dialog').getByRole('option', { name: 'Next ticket' }).count()).toBe(0)
  await field.fill('unas')
  await page.getByRole('option', { name: 'Unassigned' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox/unassigned')

  await page.keyboard.press('ControlOrMeta+k')
  await field.fill('fire')
  const hit = page.getByRole('dialog').getByRole('option', { name: 'Printer on fire' })
  await hit.getByText(/^Open · /).waitFor()
  await hit.click()
  await page.waitForURL(`**/${printer?.id}`)
  await page.getByRole('article', { name: 'Ticket' }).waitFor()

  await page.keyboard.press('ControlOrMeta+k')
  await field.fill('resolve')
  const first = page.getByRole('dialog').getByRole('option').first()
  await eventually(async () => (await first.textContent())?.includes('Resolve'))
  await page.keyboard.press('Enter')
  await waitForStatus(agent, String(printer?.id), 'resolved')

  for (const [typed, name] of [
    ['account', 'Your account'],
    ['settings', 'Settings'],
  ] as const) {
    await page.keyboard.press('ControlOrMeta+k')
    await field.fill(typed)
    await page.getByRole('dialog').getByRole('option', { name, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

browserTest('the command menu has the orders of a list, and the focus is in the list again', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Orders')
  await makeTickets(client, ['First', 'Second'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await waitForFocus(page, 'Second')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('waiting longest')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox/open?sort=waiting')
  await eventually(async () => (await subjectsOf(page)).join() === 'First,Second')
  await waitForFocus(page, 'Second')
  await page.keyboard.press('k')
  await waitForFocus(page, 'First')
})

browserTest('Enter pressed while the command menu is still loading runs the first result', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Slow')
  await makeTickets(client, ['Printer'])
  const page = await openPage({ ...bellhop, agent })
  const loads = Promise.withResolvers<void>()
  await interceptRequests(page, /\/anywhere-[^/]*\.js$/, async (route) => {
    await loads.promise
    await route.continue()
  })
  await openList(page, '/inbox/open')
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('unassigned')
  await page.keyboard.press('Enter')
  loads.resolve()
  await page.waitForURL('**/inbox/unassigned')
})
