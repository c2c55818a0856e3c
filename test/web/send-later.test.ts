import { expect } from 'bun:test'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { indexed } from '../support/search.ts'
import { readDraft, readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace, textIn } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest(
  'a reply is sent later: at a typed time, from the menu or the palette, until it is edited',
  async () => {
    const { client, ben } = await openWorkspace(bellhop)
    const { id } = await makeTicket(client)
    const page = await openTicket(bellhop, ben, id)
    await field(page).fill('Good morning.')
    await page.getByRole('button', { name: 'Other ways to send' }).click()
    await page.getByRole('menuitem', { name: 'Send later…' }).click()
    const time = page.getByRole('combobox', { name: 'Time' })
    await time.and(page.locator(':focus')).waitFor()
    for (const name of ['In 2 hours', 'Tomorrow 9:00']) await page.getByRole('option', { name }).waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.keyboard.type('40 days')
    await page.getByText('at most 30 days ahead').waitFor()
    await time.fill('tomorrow 10:30')
    await page.getByRole('option', { name: /^tomorrow, 10:30/ }).waitFor()
    await page.keyboard.press('Enter')
    const card = page.getByRole('article', { name: 'Scheduled reply' })
    await card.getByText(/Sends tomorrow, 10:30/).waitFor()
    await page.locator('.ticket-pane:focus').waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.getByRole('link', { name: /^Scheduled/ }).waitFor()

    // It is in its view, by its key.
    await page.keyboard.press('Escape')
    await page.keyboard.type('gl')
    await page.waitForURL(/\/inbox\/scheduled/)
    await page.getByRole('option', { name: /A reply is scheduled/ }).waitFor()

    await page.goto(`/inbox/scheduled/${id}`)
    await card.getByRole('button', { name: 'Edit' }).click()
    await eventually(async () => (await textIn(page)) === 'Good morning.')
    expect((await readThread(ben, id)).waiting).toEqual([])

    // Its time stays with it, also after the page is loaded again, and Ctrl+Enter sends it then.
    const chip = page.getByRole('list', { name: 'When it is sent' })
    await chip.getByText('Sends tomorrow, 10:30').waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.reload()
    await chip.getByText('Sends tomorrow, 10:30').waitFor()
    await field(page).focus()
    await page.keyboard.press('Control+Enter')
    await card.getByText(/Sends tomorrow, 10:30/).waitFor()
    await chip.waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Cancel' }).click()
    await card.waitFor({ state: 'detached' })
    expect(await textIn(page)).toBe('')
    await page.getByRole('button', { name: 'Undo' }).click()
    await chip.getByText('Sends tomorrow, 10:30').waitFor()

    // Once the time has passed, Send sends it now.
    await eventually(async () => (await readThread(ben, id)).drafts[0]?.sendAt !== undefined)
    const passed = {
      kind: 'reply',
      text: 'Good morning.',
      sendAt: new Date(ben.now() - 60_000).toISOString(),
    }
    expect((await ben.call('PUT', `/console/tickets/${id}/draft`, { body: passed })).status).toBe(200)
    await page.reload()
    await chip.getByText(/^Was to be sent .*: Send sends it now/).waitFor()
    await chip.getByRole('button', { name: "Don't send it later" }).click()
    await chip.waitFor({ state: 'detached' })
    await eventually(async () => (await readThread(ben, id)).drafts[0]?.sendAt === undefined)

    // The palette has it too. Canceled, it is gone, and Undo puts it back into the field.
    await field(page).focus()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Send later')
    await page.getByRole('option', { name: 'Send later…', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await time.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await card.getByRole('button', { name: 'Cancel' }).click()
    await card.waitFor({ state: 'detached' })
    expect(await textIn(page)).toBe('')
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(async () => (await readDraft(ben, id, 'reply')) === 'Good morning.')
  },
)

browserTest('a new ticket is sent later, and waits in Scheduled until it is edited or sent', async () => {
  const { client, ben } = await openWorkspace(bellhop)
  await openLedger(bellhop, client.orgId, 'support@acme.example')
  const maria = { name: 'Maria Silva', emails: ['maria@silva.test'] }
  expect((await ben.call('POST', '/console/customers', { body: maria })).status).toBe(201)
  await indexed(bellhop)
  const page = await openPage({ url: bellhop.url, agent: ben })
  await page.goto('/inbox/open')
  await page.getByRole('button', { name: 'New ticket' }).click()
  const dialog = page.getByRole('dialog', { name: 'New ticket' })
  const others = dialog.getByRole('button', { name: 'Other ways to send' })
  const later = page.getByRole('menuitem', { name: 'Send later…' })
  const time = page.getByRole('combobox', { name: 'Time' })
  // She has no ticket yet.
  await dialog.getByRole('combobox', { name: 'To' }).fill('silv')
  await page.getByRole('option', { name: /Maria Silva/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Good morning.')
  await others.click()
  await later.click()
  await dialog.getByText('Add a subject.').waitFor()
  await dialog.getByRole('textbox', { name: 'Subject' }).fill('Your order')
  await others.click()
  await later.click()
  await time.and(page.locator(':focus')).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.type('tomorrow 10:30')
  await page.getByRole('option', { name: /^tomorrow, 10:30/ }).waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(/^To maria@silva.test: scheduled for tomorrow, 10:30/).waitFor()

  // It is in its view only, also after the page is loaded again.
  await page.getByRole('link', { name: /^Scheduled/ }).click()
  const card = page.getByRole('article', { name: 'Scheduled ticket' })
  await card.getByText('Sends tomorrow, 10:30').waitFor()
  await page.reload()
  await card.getByText('To maria@silva.test').waitFor()
  expect(await page.getByText('scheduled for').count()).toBe(0)
  expect(await page.getByText('Nothing scheduled').count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  // Its keys are those of the rows.
  await page.keyboard.press('j')
  await card.getByRole('button', { name: 'Edit' }).and(page.locator(':focus')).waitFor()
  await card.getByRole('button', { name: 'Cancel' }).click()
  await card.waitFor({ state: 'detached' })
  await page.getByText('Nothing scheduled').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByText('Good morning.').waitFor()
  await others.click()
  await later.click()
  await time.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await card.getByText(/^Sends /).waitFor()
  const [sends = ''] = ((await card.getByText(/^Sends /).textContent()) ?? '').split(' · ')
  await card.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByText('Good morning.').waitFor()
  const chip = dialog.getByRole('list', { name: 'When it is sent' })
  await chip.getByText(sends).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: 'New ticket' }).click()
  await chip.getByText(sends).waitFor()
  await dialog.getByRole('textbox', { name: 'Message' }).press('Control+Enter')
  await card.getByText(sends).waitFor()
  await card.getByRole('button', { name: 'Send now' }).click()
  await page.getByRole('article', { name: 'Message from Ben Okafor' }).getByText('Good morning.').waitFor()
})

browserTest('a row offers Undo only while it says why it left', async () => {
  const { ben, ticket, client } = await openWorkspace(bellhop)
  await client.call('PATCH', `/v1/tickets/${ticket.id}`, { body: { tags: ['claims', 'postnl'] } })
  const page = await openTicket(bellhop, ben, ticket.id)
  await field(page).fill('Good morning.')
  await page.getByRole('button', { name: 'Other ways to send' }).click()
  await page.getByRole('menuitem', { name: 'Send later…' }).click()
  await page.getByRole('combobox', { name: 'Time' }).press('Enter')
  await page.getByRole('article', { name: 'Scheduled reply' }).waitFor()
  await page.goto(`/inbox/scheduled/${ticket.id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByText('No longer in this view').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('s')
  await page.getByRole('combobox', { name: 'Time' }).press('Enter')
  await page.locator('.snooze-line').waitFor()
  const [left, undos] = [page.locator('.ticket-row[data-left]'), page.locator('.virtual-list-undo')]
  expect(await undos.count()).toBe(await left.count())
})
