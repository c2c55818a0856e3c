import { expect } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace } from '../support/ticket-page.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('an agent writes a saved reply with actions and a file, and inserts it', async () => {
  const { client, ben: admin, ticket } = await openWorkspace(bellhop)
  const mei = await signInAgent(bellhop, client.orgId, { name: 'Mei Tanaka' })
  const page = await openPage({ url: bellhop.url, agent: mei })
  await page.goto('/settings/saved-replies/new')
  await page.getByRole('textbox', { name: 'Name' }).fill('Billing / Refund')
  await page.getByRole('textbox', { name: 'Text' }).fill('It is on its way.')
  await page.getByRole('textbox', { name: 'Add tags' }).fill('refund, vip')
  await page.locator('input[type=file]').setInputFiles({
    name: 'terms.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('The terms'),
  })
  await page.getByRole('button', { name: 'Remove terms.txt' }).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Save reply' }).click()
  await page.getByRole('heading', { name: 'Billing' }).waitFor()
  await page.getByText('Then: tag refund, tag vip').waitFor()
  await page.getByText('Only you').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  const { json } = await admin.call<{ data: object[] }>('GET', '/console/saved-replies')
  expect(json.data).toEqual([])

  const inbox = await openTicket(bellhop, mei, ticket.id)
  await field(inbox).focus()
  await inbox.keyboard.press('/')
  await inbox.getByRole('option', { name: /Billing \/ Refund/ }).click()
  await eventually(async () => (await field(inbox).textContent()) === 'It is on its way.')
  await inbox.getByText('terms.txt').first().waitFor()
  const chips = inbox.getByRole('list', { name: 'Done when it is sent' })
  await chips.getByText('tag refund').waitFor()
  expect(await accessibilityFaultsInBothThemes(inbox)).toEqual([])
  await chips.getByRole('button', { name: "Don't tag vip" }).click()
  await eventually(async () => {
    const [draft] = (await readThread(mei, ticket.id)).drafts
    return draft?.text === 'It is on its way.' && draft.attachments?.length === 1
  })
  await inbox.keyboard.press('Control+Enter')
  await eventually(async () => (await readTicket(client, ticket.id)).messages.length === 2)
  expect((await readTicket(client, ticket.id)).tags).toContain('refund')
  expect((await readTicket(client, ticket.id)).tags).not.toContain('vip')
})

for (const channel of ['email', 'widget'] as const) {
  browserTest(`taking back a reply by ${channel} brings back all that was to be done with it`, async () => {
    const { client, ben } = await openWorkspace(bellhop)
    const ticket = channel === 'email' ? await makeTicket(client) : await startChat(ben)
    const actions = { status: 'resolved', addTags: ['refund'] }
    const body = { name: 'Refund', text: 'It is on its way.', actions }
    expect((await ben.call('POST', '/console/saved-replies', { body })).status).toBe(201)
    const page = await openTicket(bellhop, ben, ticket.id)
    await field(page).focus()
    await page.keyboard.press('/')
    await page.getByRole('option', { name: /Refund/ }).click()
    const chips = page.getByRole('list', { name: 'Done when it is sent' })
    await chips.getByText('resolve').waitFor()
    await page.keyboard.press('Control+Enter')
    await chips.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    for (const words of ['resolve', 'tag refund']) await chips.getByText(words).waitFor()
    await eventually(async () => {
      const [draft] = (await readThread(ben, ticket.id)).drafts
      return JSON.stringify(draft?.actions) === JSON.stringify(actions)
    })
    await page.reload()
    for (const words of ['resolve', 'tag refund']) await chips.getByText(words).waitFor()
    expect(await readTicket(client, ticket.id)).toMatchObject({ status: 'open', tags: [] })
  })
}

browserTest('a saved reply without a text is applied at once, and undone', async () => {
  const { client, ben, ticket } = await openWorkspace(bellhop)
  const body = { name: 'Close as spam', text: '', actions: { status: 'resolved' } }
  await ben.call('POST', '/console/saved-replies', { body })
  const page = await openTicket(bellhop, ben, ticket.id)
  await field(page).focus()
  await page.keyboard.press('/')
  await page.getByRole('option', { name: /Close as spam/ }).click()
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'resolved')
  expect(await field(page).textContent()).toBe('')
  await page.locator('.toaster-toast').getByRole('button', { name: 'Undo' }).click()
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'open')
})

async function startChat({ orgId }: SignedInAgent): Promise<{ id: string }> {
  const visitor = await (await openWidget(bellhop, orgId)).visit()
  return (await visitor.say('Where is my parcel?')).conversation
}
