import { afterAll, expect } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { startTelegram } from '../support/telegram-server/telegram-server.ts'
import { eventually } from '../support/webhooks.ts'

const telegram = await startTelegram({ clock: systemClock, maxPollMs: 300 })
const bellhop = await startBellhop({ settings: { BELLHOP_TELEGRAM_API: telegram.root } })
afterAll(async () => {
  await bellhop.stop()
  await telegram.close()
})

interface Shown {
  id: string
  state: string
  greeting: string
  newTicketAfterDays: number | null
  showsTyping: boolean
  defaultAssignee: string | null
}

async function admin(): Promise<SignedInAgent> {
  const { orgId } = await bellhop.organization('Acme')
  return signInAgent(bellhop, orgId, { name: 'Ana Pires', role: 'admin' })
}

/** A bot that the organization has added, with what the server says of it. */
async function addBot(agent: SignedInAgent, username: string) {
  const bot = telegram.addBot({ username, name: 'Acme Support' })
  const body = { token: bot.token, name: 'Acme Support' }
  const made = await agent.call<Shown>('POST', '/console/bots', { body })
  expect(made.status, made.text).toBe(201)
  const { id } = made.json
  return { bot, id, read: async () => (await agent.call<Shown>('GET', `/console/bots/${id}`)).json }
}

browserTest('a bot is added by its token, and a wrong one is refused with a sentence', async () => {
  const agent = await admin()
  const bot = telegram.addBot({ username: 'acme_first_bot', name: 'Acme First' })
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/settings/telegram')
  await page.getByText('No bots yet').waitFor()
  await page.getByRole('button', { name: 'Add bot' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New bot' })
  const token = dialog.getByLabel('Token', { exact: true })
  await token.fill('not a token')
  await dialog.getByRole('button', { name: 'Add bot' }).click()
  await eventually(async () => (await token.getAttribute('aria-invalid')) === 'true')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await token.fill(bot.token)
  await dialog.getByRole('button', { name: 'Add bot' }).click()
  await page.getByRole('heading', { level: 1, name: 'Acme First' }).waitFor()
  await page.getByRole('link', { name: '@acme_first_bot' }).waitFor()
  await page.getByText('Connected', { exact: true }).waitFor()
  expect(await page.content()).not.toContain(bot.token)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  await page.getByRole('link', { name: 'Telegram', exact: true }).first().click()
  await page.getByRole('list', { name: 'Bots' }).getByText('@acme_first_bot').waitFor()
})

browserTest('settings of a bot are saved, and it is paused, resumed and removed', async () => {
  const agent = await admin()
  const { id, read } = await addBot(agent, 'acme_second_bot')
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto(`/settings/telegram/${id}`)
  await page.getByLabel('Greeting').fill('Hello! Tell us what you need.')
  await page.getByRole('button', { name: 'When a customer writes after' }).click()
  await page.getByRole('option', { name: 'Open a new ticket after a number of days' }).click()
  await page.getByRole('spinbutton', { name: 'Days' }).fill('3')
  await page.getByLabel('Show “typing…”').uncheck()
  await page.getByRole('button', { name: 'Assign new tickets to' }).click()
  await page.getByRole('option', { name: 'Ana Pires' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  expect(await read()).toMatchObject({
    greeting: 'Hello! Tell us what you need.',
    newTicketAfterDays: 3,
    showsTyping: false,
    defaultAssignee: agent.id,
  })

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).waitFor()
  expect((await read()).state).toBe('paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await page.getByRole('button', { name: 'Remove bot…' }).click()
  await page.getByLabel('Type “remove” to confirm').fill('remove')
  await page.getByRole('button', { name: 'Remove bot', exact: true }).click()
  await page.getByText('No bots yet').waitFor()
})

browserTest('a webhook that was set elsewhere is named, and removed with one button', async () => {
  const agent = await admin()
  const { bot, id, read } = await addBot(agent, 'acme_third_bot')
  await fetch(`${telegram.root}/bot${bot.token}/setWebhook?url=https://old.example/hook`)
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto(`/settings/telegram/${id}`)
  await page.getByText('Webhook set elsewhere').waitFor()
  await page.getByText('old.example').first().waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove the webhook' }).click()
  await page.getByText('Connected', { exact: true }).waitFor()
  expect(bot.queue.webhook).toBeUndefined()
  expect((await read()).state).toBe('active')
})

browserTest('administrators see on every page that a token is refused, until it is replaced', async () => {
  const agent = await admin()
  const { bot, id } = await addBot(agent, 'acme_fourth_bot')
  const token = telegram.revokeToken(bot)
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/inbox')
  await page.getByText("@acme_fourth_bot hasn't worked since").waitFor()
  await page.getByRole('link', { name: 'Reconnect' }).click()
  await page.getByText('Token refused').waitFor()
  const other = telegram.addBot({ username: 'acme_other_bot' })
  const field = page.getByLabel('New token')
  const save = page.getByRole('button', { name: 'Replace token' })
  await field.fill(other.token)
  await save.click()
  await eventually(async () => (await field.getAttribute('aria-invalid')) === 'true')
  await field.fill(token)
  await save.click()
  await page.getByText('Token replaced.').waitFor()
  await page.getByText("@acme_fourth_bot hasn't worked since").waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('')
  await page.goto(`/settings/telegram/${id}`)
  await page.getByText('Connected', { exact: true }).waitFor()
})
