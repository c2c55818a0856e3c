import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { call } from '../support/bellhop.ts'
import { browserTest, faultsOf, openPage } from '../support/browser.ts'
import { freshPlace } from '../support/engine.ts'
import { startProgram } from '../support/program.ts'
import { field, thread } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const ASKED = { subject: 'Missing invoice', message: 'Where is it?', customer: { email: 'ana@example.com' } }

interface TicketJson {
  id: string
  status: string
  messages: { role: string; text: string; agentName?: string }[]
}

browserTest(
  'from the first start to the first reply: one link, one API key, one request, one reply',
  async () => {
    await using server = await startProgram(await freshPlace())
    const { url } = server
    const link = await eventually(() => /\S+\/welcome#\S+/.exec(server.out())?.[0])
    const page = await openPage({ url })

    await page.goto(link)
    await signUp(page)
    await page.waitForURL((url) => url.hash === '')
    await page.getByRole('link', { name: 'create an API key' }).click()
    const headers = { authorization: `Bearer ${await makeKey(page)}` }

    await page.goto('/inbox/unassigned')
    await page.getByRole('button', { name: 'Continue setup' }).click()
    const step = page.getByRole('link', { name: 'Create an API key' })
    await step.getByRole('img', { name: 'Done' }).waitFor()
    await step.click()
    await page.waitForURL('**/settings/keys')
    await page.goto('/inbox/unassigned')
    await page.getByText('Your inbox is ready').waitFor()
    const made = await call<TicketJson>('POST', `${url}/v1/tickets`, { body: ASKED, headers })
    expect(made.status).toBe(201)

    await page.getByRole('option', { name: 'Missing invoice' }).click()
    await field(page).fill('It is attached.')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Send now' }).click()
    const answered = await eventually(async () => {
      const { json } = await call<TicketJson>('GET', `${url}/v1/tickets/${made.json.id}`, { headers })
      return json.messages.length === 2 ? json : undefined
    })
    expect(answered.messages[1]).toMatchObject({
      role: 'agent',
      text: 'It is attached.',
      agentName: 'Ana Pires',
    })
    await eventually(
      async () => (await thread(page)).join() === 'customer: Where is it?,agent: It is attached.',
    )
    expect(await server.end('SIGTERM')).toBe(0)
    // The page notices that its server has gone.
    faultsOf(page).length = 0
  },
)

async function signUp(page: Page): Promise<void> {
  await page.getByLabel('Organization').fill('Acme')
  await page.getByLabel('Your name').fill('Ana Pires')
  await page.getByLabel('Email').fill('ana@acme.example')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.waitForURL('**/inbox**')
}

async function makeKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Website')
  await page.keyboard.press('Enter')
  return page.getByLabel('API key', { exact: true }).inputValue()
}
