import { expect } from 'bun:test'
import { call, sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { paintedPng } from '../support/images.ts'
import { openSettings } from '../support/settings-page.ts'

const bellhop = await sharedBellhop()

browserTest(
  'an administrator makes a program and a key of it, and the inbox marks what it writes',
  async () => {
    const { page } = await openSettings(bellhop, '/agents')
    await page.getByRole('button', { name: 'New program' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Answer bot')
    await page.getByRole('button', { name: 'Create program' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Answer bot' })
    await row.getByText('Program', { exact: true }).waitFor()

    const picture = { name: 'bot.png', mimeType: 'image/png', buffer: Buffer.from(paintedPng(8, 8)) }
    await page.getByLabel('Picture of Answer bot').setInputFiles(picture)
    await row.locator('.avatar img').waitFor()

    await page.goto(`${bellhop.url}/settings/keys`)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Server of the bot')
    await page.getByRole('button', { name: /Acts as/ }).click()
    await page.getByRole('option', { name: 'Answer bot' }).click()
    await page.getByRole('group', { name: 'Not part of full access' }).getByLabel('erase').check()
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = await page.getByLabel('API key', { exact: true }).inputValue()
    await page.getByRole('button', { name: "I've saved it" }).click()
    const key = page.getByRole('listitem').filter({ hasText: 'Server of the bot' })
    await key.getByText('Acts as Answer bot').waitFor()
    await key.getByText('Full access and erase').waitFor()

    const headers = { authorization: `Bearer ${secret}` }
    const body = { subject: 'Where is it?', message: 'My order', customer: { email: 'ana@example.com' } }
    const { json } = await call<{ id: string }>('POST', `${bellhop.url}/v1/tickets`, { headers, body })
    const ticket = `${bellhop.url}/v1/tickets/${json.id}`
    await call('POST', `${ticket}/messages`, { headers, body: { text: 'It is on its way.' } })
    await call('PATCH', ticket, { headers, body: { status: 'pending' } })
    await page.goto(`${bellhop.url}/inbox/all/${json.id}`)
    const message = page.getByRole('article', { name: 'Message from Answer bot' })
    await message.getByText('Program', { exact: true }).waitFor()
    await message.locator('.avatar img').waitFor()
    await page.getByText('Answer bot (program) marked it pending').waitFor()

    await page.getByRole('button', { name: /^Assignee/ }).click()
    await page.getByRole('option', { name: /Answer bot.*program/ }).click()
    await page.getByRole('button', { name: 'Assignee: Answer bot' }).waitFor()

    await page.goto(`${bellhop.url}/settings/agents`)
    await page.getByRole('button', { name: 'Actions for Answer bot' }).click()
    await page.getByRole('menuitem', { name: 'Disable…' }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByText('Disabled Answer bot. 1 ticket was unassigned.').waitFor()
    expect((await call('GET', ticket, { headers })).status).toBe(403)
  },
)
