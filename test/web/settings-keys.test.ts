import { expect } from 'bun:test'
import { call, sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openSettings } from '../support/settings-page.ts'

const bellhop = await sharedBellhop()

browserTest('an administrator creates a key, saves it and uses it; it is never shown again', async () => {
  const { page } = await openSettings(bellhop, '/keys')

  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Web shop')
  await page.getByRole('button', { name: 'Create key' }).click()

  const shown = page.getByLabel('API key', { exact: true })
  const secret = await shown.inputValue()
  expect(secret).toStartWith('bellhop_sk_')
  expect(await page.getByRole('region', { name: 'Example request' }).textContent()).toContain(secret)
  await page.keyboard.press('Escape')
  expect(await shown.inputValue()).toBe(secret)

  const headers = { authorization: `Bearer ${secret}` }
  expect((await call('GET', `${bellhop.url}/v1/tickets`, { headers })).status).toBe(200)

  await page.getByRole('button', { name: "I've saved it" }).click()
  await page.getByRole('listitem').filter({ hasText: 'Web shop' }).waitFor()
  await page.locator('button:focus', { hasText: 'New key' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'Web shop' })
  await row.waitFor()
  expect(await row.textContent()).toContain('Full access')
  expect(await page.content()).not.toContain(secret)

  await page.getByRole('button', { name: 'Revoke Web shop' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page
    .getByRole('list', { name: 'Revoked and expired keys' })
    .getByText('Revoked', { exact: true })
    .waitFor()
  // The button that had it is gone with its row.
  await page.locator('h1:focus', { hasText: 'API keys' }).waitFor()
  expect((await call('GET', `${bellhop.url}/v1/tickets`, { headers })).status).toBe(401)
})
