import { expect } from 'bun:test'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { indexed } from '../support/search.ts'
import { openTicket, openWorkspace } from '../support/ticket-page.ts'
import { changeTicket, makeTicket, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest(
  'a ticket is merged by keys alone after the outcome is said, and undo opens it again',
  async () => {
    const { client, ben, ticket } = await openWorkspace(bellhop, { subject: 'Where is it?' })
    const other = await makeTicket(client, { subject: 'Parcel late' })
    const page = await openTicket(bellhop, ben, ticket.id)
    const messages = async (id: string) => (await readTicket(client, id)).messages.length
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Merge into…' })
    await dialog.getByText('Parcel late').waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('1 message moves there').waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${other.id}`)
    await page.locator('.thread').getByText('merged another ticket into this one').waitFor()
    expect(await messages(other.id)).toBe(2)

    await page.keyboard.press('Control+z')
    await page.getByText('The tickets are separate again').waitFor()
    await page.waitForURL(`**/${ticket.id}`)
    await page.getByRole('heading', { name: 'Where is it?' }).waitFor()
    expect([await messages(ticket.id), await messages(other.id)]).toEqual([1, 1])
  },
)

browserTest('the outcome says what becomes of the snooze of the ticket that stays', async () => {
  const { client, ben, ticket } = await openWorkspace(bellhop, { subject: 'Where is it?' })
  const other = await makeTicket(client, { subject: 'Parcel late' })
  const snoozedUntil = new Date(ben.now() + 3 * 86_400_000).toISOString()
  const items = [{ id: other.id, change: { snoozedUntil } }]
  await ben.call('POST', '/console/bulk', { body: { items } })
  const outcomeOf = async (words: RegExp) => {
    const page = await openTicket(bellhop, ben, ticket.id)
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Merge into…' })
    await dialog.getByText('Parcel late').waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText(words).waitFor()
  }
  await outcomeOf(/is snoozed, and comes back to the inbox/)
  await changeTicket(client, ticket.id, { status: 'resolved' })
  await outcomeOf(/stays snoozed until/)
})

browserTest(
  'the other ticket of a merge is searched for by its words, and either of the two can stay',
  async () => {
    const { client, ben, ticket } = await openWorkspace(bellhop, { subject: 'Where is it?' })
    const other = await makeTicket(client, {
      subject: 'Broken vase',
      customer: { name: 'Zoe Quimby', email: 'zoe@quimby.example' },
    })
    await indexed(bellhop)
    const page = await openTicket(bellhop, ben, ticket.id)
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Merge into…' })
    await dialog.getByText('No other tickets. Search for one.').waitFor()
    await page.keyboard.type('nothing like it')
    await dialog.getByText('Nothing found.').waitFor()
    await page.getByLabel('Find a ticket').fill('vase')
    await dialog.getByText('Broken vase').waitFor()
    await page.keyboard.press('ArrowDown')
    await dialog.getByText(/Ana Pires.* participant/).waitFor()
    await dialog.getByRole('button', { name: /^Swap/ }).press('Enter')
    await dialog.getByText(/Zoe Quimby.* participant/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await client.call('GET', `/tickets/${other.id}`)).toMatchObject({ json: { status: 'open' } })
  },
)

browserTest('a message opens a new ticket by keys alone, and undo brings it back', async () => {
  const { client, ben, ticket } = await openWorkspace(bellhop, { subject: 'Two things' })
  await client.call('POST', `/tickets/${ticket.id}/messages`, { body: { text: 'And my invoice is wrong.' } })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.locator('.thread').getByText('And my invoice is wrong.').waitFor()
  await page.getByRole('button', { name: 'Actions for this message' }).last().press('Enter')
  await page.getByRole('menuitem', { name: 'New ticket from here' }).waitFor()
  await page.locator('[role=menu]:focus, [role=menu] :focus').waitFor()
  await page.keyboard.type('new')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New ticket from this message' })
  const subject = dialog.getByLabel('Subject')
  await subject.and(page.locator(':focus')).waitFor()
  expect(await subject.inputValue()).toBe('And my invoice is wrong.')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await subject.fill('Wrong invoice')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Wrong invoice' }).waitFor()
  await page.keyboard.press('Control+z')
  await page.getByText('The messages are back').waitFor()
  await page.waitForURL(`**/${ticket.id}`)
  await eventually(async () => (await readTicket(client, ticket.id)).messages.length === 2)
})
