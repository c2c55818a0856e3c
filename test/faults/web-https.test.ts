import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { httpsBrowserTest, openPage } from '../support/browser.ts'
import { makeAgent, PASSWORD } from '../support/browser-session.ts'
import { makeCertificates } from '../support/certificates.ts'
import { type ReverseProxy, startReverseProxy } from '../support/reverse-proxy.ts'

const EMAIL = 'ana@acme.example'

let bellhop: Bellhop
let https: ReverseProxy

beforeAll(async () => {
  bellhop = await startBellhop({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8' } })
  https = await startReverseProxy(bellhop.url, (await makeCertificates()).valid)
  const { orgId } = await bellhop.organization()
  await makeAgent(bellhop, orgId, { email: EMAIL })
})
afterAll(async () => {
  await https.stop()
  await bellhop.stop()
})

httpsBrowserTest('an agent who was signed in over http is told why they sign in again on https', async () => {
  const page = await openPage({ url: https.url, isSelfSigned: true })
  const context = page.context()
  await page.goto(`${bellhop.url}/sign-in`)
  await signIn(page)
  const names = async () =>
    (await context.cookies([https.url, bellhop.url]))
      .map(({ name }) => name)
      .filter((name) => name.endsWith('session'))
  expect(await names()).toEqual(['bellhop_session'])

  await page.goto(`${https.url}/inbox`)
  await page.getByText('Bellhop now uses https. Sign in again.').waitFor()
  await signIn(page)
  expect(await names()).toEqual(['__Host-bellhop_session'])
  await page.reload()
  await page.waitForURL('**/inbox')
})

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox')
}
