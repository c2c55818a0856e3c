import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { indexed } from '../support/search.ts'
import { openTicket, openWorkspace } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

async function openCustomers() {
  const { orgId, ...client } = await bellhop.organization('Acme')
  const ben = await signInAgent(bellhop, orgId)
  return { client: { orgId, ...client }, ben, page: await openPage({ url: bellhop.url, agent: ben }) }
}

browserTest('customers are found, opened, and changed by keys alone, and each change is undone', async () => {
  const { client, ben, page } = await openCustomers()
  await page.goto('/inbox')
  await page.getByRole('link', { name: 'Customers' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await page.waitForURL('**/customers')
  await page.getByText('No customers yet').waitFor()

  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'New customer' })
  await dialog.getByLabel('Name').fill('Zoe Quimby')
  await dialog.getByLabel('Email').fill('zoe@quimby.example')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Zoe Quimby' }).waitFor()
  await page.getByText('No tickets yet.').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  const { subject } = await makeTicket(client, { customer: { name: 'Ana Pires', email: 'ana@example.com' } })
  await indexed(bellhop)
  await page.keyboard.press('u')
  await page.waitForURL('**/customers')
  await page.getByRole('link', { name: /Ana Pires.*1/ }).waitFor()
  // The list takes keys at once, from the row of the customer that was open.
  const focused = (name: RegExp) => page.getByRole('link', { name }).and(page.locator(':focus')).waitFor()
  await focused(/Zoe Quimby/)
  await page.keyboard.press('k')
  await focused(/Ana Pires/)
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await page.waitForURL('**/inbox/unassigned')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await focused(/Ana Pires/)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('/')
  await page.keyboard.type('nobody at all')
  await page.getByText('No customer found').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('a')
  await page.getByText('Type two letters').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('ana')
  await page.getByRole('link', { name: /Ana Pires/ }).waitFor()
  await eventually(async () => (await page.getByRole('link', { name: /Zoe/ }).count()) === 0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ana Pires' }).waitFor()
  await page.keyboard.press('u')
  await page.waitForURL('**/customers?q=ana')
  await focused(/Ana Pires/)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: subject }).waitFor()

  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const stored = async () => (await ben.call('GET', `/console/customers/${id}`)).json
  await page.getByRole('button', { name: 'Add company' }).press('Enter')
  await page.keyboard.type('Globex')
  await page.keyboard.press('Enter')
  await page.getByText('Company saved').waitFor()
  await eventually(async () => (await stored()).company === 'Globex')
  await page.keyboard.press('Control+z')
  await eventually(async () => (await stored()).company === '')
  await page.getByRole('button', { name: 'Add note' }).press('Enter')
  await page.keyboard.type('Pays late')
  await page.keyboard.press('Control+Enter')
  await eventually(async () => (await stored()).note === 'Pays late')
  await page.getByRole('button', { name: /Edit name/ }).press('Enter')
  await page.keyboard.type('Never')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Ana Pires' }).waitFor()

  await page.getByRole('button', { name: 'Add address…' }).press('Enter')
  await page.keyboard.type('zoe@quimby.example')
  await page.keyboard.press('Enter')
  await page.getByText('Zoe Quimby has the address zoe@quimby.example').waitFor()
  await page.getByRole('textbox', { name: 'Email' }).fill('ana@work.example')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Actions for ana@work.example' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Make main address' }).press('Enter')
  await eventually(async () => (await stored()).email === 'ana@work.example')
  await page.getByText('Undo').first().click()
  await eventually(async () => (await stored()).email === 'ana@example.com')
})

browserTest(
  'the panel beside a ticket changes the same customer, on the page of the ticket too',
  async () => {
    const { ben, ticket } = await openWorkspace(bellhop)
    const page = await openTicket(bellhop, ben, ticket.id)
    const panel = page.getByRole('complementary', { name: 'Customer' })
    await panel.getByRole('button', { name: 'Edit name: Ana Pires' }).click()
    await page.keyboard.type('Ana Maria Pires')
    await page.keyboard.press('Enter')
    await page.getByText('Renamed to Ana Maria Pires').waitFor()
    await page.getByRole('textbox', { name: 'Reply to Ana Maria Pires', exact: true }).waitFor()
    await panel.getByRole('button', { name: 'Add company' }).click()
    await page.keyboard.type('Globex')
    await page.keyboard.press('Tab')
    await panel.getByRole('button', { name: 'Edit company: Globex' }).waitFor()
    await panel.getByRole('button', { name: 'Actions for Ana Maria Pires' }).click()
    await page.getByRole('menuitem', { name: 'Open customer' }).click()
    await page.getByRole('heading', { name: 'Ana Maria Pires' }).waitFor()
    await page.getByRole('button', { name: 'Edit company: Globex' }).waitFor()
  },
)

browserTest('two customers are merged by keys alone, and are two again after Undo', async () => {
  const { client, ben, page } = await openCustomers()
  await makeTicket(client, { customer: { name: 'Ana Pires', email: 'ana@work.example' } })
  const made = await ben.call<{ id: string }>('POST', '/console/customers', {
    body: { name: 'Ana Maria Pires', emails: ['ana@example.com'] },
  })
  await indexed(bellhop)
  await page.goto(`/customers/${made.json.id}`)
  await page.getByRole('heading', { name: 'Ana Maria Pires' }).waitFor()
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog', { name: 'Merge into…' })
  await dialog.getByLabel('Find a customer').fill('pires')
  await dialog.getByRole('radio', { name: /ana@work.example/ }).press('Space')
  await dialog.getByText('0 tickets and 1 address of Ana Maria Pires go to Ana Pires.').waitFor()
  await dialog.getByRole('button', { name: 'Swap: keep Ana Maria Pires instead' }).press('Enter')
  await dialog.getByText('1 ticket and 1 address of Ana Pires go to Ana Maria Pires.').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Merge', exact: true }).press('Enter')
  await page.getByText('Merged Ana Pires into Ana Maria Pires').waitFor()
  await page.getByText('Ana Pires was merged into this customer').waitFor()
  await page.getByText('ana@work.example', { exact: true }).waitFor()
  await page.keyboard.press('Control+z')
  await page.getByText('The customers are separate again').waitFor()
  await eventually(async () => (await page.getByText('ana@work.example', { exact: true }).count()) === 0)
})

browserTest('the command menu finds customers by name, address and company, and opens them', async () => {
  const { ben, page } = await openCustomers()
  const add = (body: object) => ben.call('POST', '/console/customers', { body })
  await add({ name: 'Zoe Quimby', emails: ['zoe@quimby.example'], company: 'Globex' })
  await add({ name: 'Bo Lund', emails: ['bo@lund.example'] })
  await indexed(bellhop)
  await page.goto('/inbox')
  await page.getByRole('link', { name: 'Customers' }).waitFor()
  await page.keyboard.press('Control+k')
  const menu = page.getByRole('dialog', { name: 'Command menu' })
  const found = menu.getByRole('option', { name: /Zoe Quimby/ })
  for (const words of ['quimb', 'zoe@quimby', 'globex']) {
    await menu.getByRole('combobox').fill(words)
    await found.filter({ hasText: 'zoe@quimby.example' }).waitFor()
    expect(await menu.getByRole('option', { name: /Bo Lund/ }).count()).toBe(0)
  }
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await found.click()
  await page.getByRole('heading', { name: 'Zoe Quimby' }).waitFor()
  await menu.waitFor({ state: 'detached' })
})
