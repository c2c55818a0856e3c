import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openTicket, openTicketPage, openWorkspace } from '../support/ticket-page.ts'

const bellhop = await sharedBellhop()

browserTest('a picker searches for every letter typed from the moment it opens', async () => {
  const { page } = await openTicketPage(bellhop)
  await Promise.all(['t', 'e', 'i', 's'].map((key) => page.keyboard.press(key)))
  await page.getByRole('option', { name: /“eis”/ }).waitFor()
})

browserTest('the Enter that ends a word of an input method selects nothing', async () => {
  const { page } = await openTicketPage(bellhop)
  await page.keyboard.press('t')
  const field = page.getByRole('combobox', { name: 'Tags' })
  await field.fill('請求書')
  await page.getByRole('option', { name: /“請求書”/ }).waitFor()
  // As Chromium and Firefox tell it, and as Safari does.
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
  expect(await field.inputValue()).toBe('請求書')
  await page.keyboard.press('Enter')
  await page.getByText('Tags changed').waitFor()
})

browserTest('pickers and the command menu find names without their accents', async () => {
  const { client, ben, ticket } = await openWorkspace(bellhop)
  await signInAgent(bellhop, client.orgId, { name: 'Leïla Haddad' })
  await ben.call('PATCH', `/v1/tickets/${ticket.id}`, { body: { tags: ['Rückgabe'] } })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.keyboard.press('a')
  await page.getByRole('combobox', { name: 'Assign to' }).fill('leila')
  await page.getByRole('option', { name: /Leïla Haddad/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('t')
  await page.getByRole('combobox', { name: 'Tags' }).fill('ruckg')
  await page.getByRole('option', { name: 'Rückgabe', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Command menu' }).getByRole('combobox').fill('leila')
  await page
    .getByRole('option', { name: /Leïla Haddad/ })
    .first()
    .waitFor()
})
