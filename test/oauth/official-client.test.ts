import { afterAll, expect } from 'bun:test'
import { UnauthorizedError } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { makeAgent, PASSWORD } from '../support/browser-session.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { CALLBACK } from '../support/oauth.ts'
import { type OAuthProgram, startOAuthProgram } from '../support/oauth-program.ts'
import { startReceiver } from '../support/receiver.ts'

const clock = createManualClock()
const bellhop = await startBellhop({
  clock,
  settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() },
})
const site = await startReceiver()
const documentUrl = `https://127.0.0.1:${site.port}/helper.json`
site.respondWith(() => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ client_id: documentUrl, client_name: 'Helper', redirect_uris: [CALLBACK] }),
}))
afterAll(() => Promise.all([bellhop.stop(), site.stop()]))

const HOUR_MS = 3_600_000

async function toolsOf(program: OAuthProgram): Promise<string[] | 'asks'> {
  const client = await program.connect()
  if (client === 'asks') return 'asks'
  return (await client.listTools()).tools.map(({ name }) => name)
}

async function openConsent(page: Page, program: OAuthProgram): Promise<void> {
  await page.goto(program.askedAt()?.href ?? '')
  await page.getByRole('heading', { name: 'Connect Helper?' }).waitFor()
}

async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect Helper?' }).waitFor()
}

browserTest(
  'an agent signs in and connects a program that registers; it renews its access by itself',
  async () => {
    const { orgId } = await bellhop.organization('Acme Coffee')
    await makeAgent(bellhop, orgId, { name: 'Ben Okafor', email: 'ben@acme.example', role: 'agent' })
    const program = startOAuthProgram(bellhop)
    expect(await program.connect()).toBe('asks')

    await makeAgent(bellhop, orgId, { name: 'Ana Pires', email: 'ana@acme.example' })
    const page = await openPage(bellhop)
    await page.goto(program.askedAt()?.href ?? '')
    await signInAs(page, 'ana@acme.example')
    expect(await page.locator('main').textContent()).toContain('Ana Pires')
    await page.getByRole('button', { name: 'Sign in as someone else' }).click()
    await signInAs(page, 'ben@acme.example')
    const text = await page.locator('main').textContent()
    for (const shown of ['Ben Okafor', 'ben@acme.example', 'Acme Coffee', 'anyone can use this name']) {
      expect(text).toContain(shown)
    }
    expect(text).toContain('A program on this device')
    expect(await page.getByLabel('Send messages').isChecked()).toBe(false)
    expect(text).toContain('With “Change tickets”, also to any other email address')
    await page.getByLabel('Change tickets').uncheck()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    await program.comesBack()

    const tools = await toolsOf(program)
    expect(tools).toContain('search_tickets')
    expect(tools).not.toContain('update_ticket')
    const client = await program.connect()
    if (client === 'asks') throw new Error('It has its tokens.')
    const change = client.callTool({ name: 'update_ticket', arguments: { ticket: 'none', status: 'open' } })
    // For this too, the agent is asked first.
    await expect(change).rejects.toThrow(UnauthorizedError)
    const askedFor = program.askedAt()?.searchParams.get('scope')?.split(' ')
    expect(askedFor).toContain('tickets:write')
    expect(askedFor).toContain('tickets:read')

    const first = program.tokens()?.access_token
    clock.advance(HOUR_MS)
    expect(await toolsOf(program)).toEqual(tools)
    expect(program.tokens()?.access_token).not.toBe(first ?? '')
    expect(program.requests).toContain('POST /oauth/register')
    await program.stop()
  },
)

browserTest(
  'a program is known by its document, and asks again once its agent has disconnected it',
  async () => {
    const { orgId } = await bellhop.organization('Acme Tea')
    const agent = await signInAgent(bellhop, orgId, { name: 'Cleo' })
    const program = startOAuthProgram(bellhop, documentUrl)
    expect(await program.connect()).toBe('asks')
    expect(program.requests).not.toContain('POST /oauth/register')

    const page = await openPage({ url: bellhop.url, agent })
    await openConsent(page, program)
    expect(await page.locator('main').textContent()).toContain(`127.0.0.1:${site.port}`)
    await page.getByLabel('Send messages').check()
    await page.getByRole('button', { name: 'Allow' }).click()
    await program.comesBack()
    expect(await toolsOf(program)).toContain('update_ticket')
    expect(program.tokens()?.scope).toContain('messages:write')

    await page.goto(`${bellhop.url}/settings/connected-programs`)
    const row = page.getByRole('listitem').filter({ hasText: 'Helper' })
    await row.getByText('Last used').waitFor()
    expect(await row.textContent()).toContain(`127.0.0.1:${site.port}`)
    expect(await row.textContent()).toContain(
      'Read tickets, Change tickets, Send messages, Read internal notes',
    )
    expect(await row.textContent()).not.toContain('tickets:read')
    await page.getByRole('button', { name: 'Disconnect Helper' }).click()
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
    await page.getByText('No connected programs').waitFor()
    expect(await toolsOf(program)).toBe('asks')
    await program.stop()
  },
)

browserTest('an agent denies access: the program learns that, and gets nothing', async () => {
  const { orgId } = await bellhop.organization('Acme Milk')
  const agent = await signInAgent(bellhop, orgId)
  const program = startOAuthProgram(bellhop)
  await program.connect()
  const page = await openPage({ url: bellhop.url, agent })
  await openConsent(page, program)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'Connected' }).waitFor()
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
  await expect(program.comesBack()).rejects.toThrow('denied')
  expect(program.tokens()).toBeUndefined()
  await program.stop()
})

browserTest('a wrong link leads nowhere by itself', async () => {
  const { orgId } = await bellhop.organization('Acme Cake')
  const agent = await signInAgent(bellhop, orgId)
  const program = startOAuthProgram(bellhop)
  await program.connect()
  const page = await openPage({ url: bellhop.url, agent })
  const asked = program.askedAt() ?? new URL(bellhop.url)

  const without = new URL(asked)
  without.searchParams.delete('code_challenge')
  await page.goto(without.href)
  await page.getByRole('heading', { name: "This program can't connect" }).waitFor()
  await page.getByRole('link', { name: 'Back to 127.0.0.1' }).click()
  await page.getByRole('heading', { name: 'Connected' }).waitFor()
  expect(new URL(page.url()).searchParams.get('error')).toBe('invalid_request')

  const elsewhere = new URL(asked)
  elsewhere.searchParams.set('redirect_uri', 'https://evil.example/')
  await page.goto(elsewhere.href)
  await page.getByRole('heading', { name: "This program can't connect" }).waitFor()
  expect(await page.getByRole('link', { name: 'Back to' }).count()).toBe(0)
  await program.stop()
})
