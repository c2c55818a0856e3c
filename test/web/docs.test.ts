import { expect } from 'bun:test'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'

const bellhop = await sharedBellhop()

browserTest('the guides can be read by everyone', async () => {
  const page = await openPage({ url: bellhop.url, width: 390, height: 844 })
  // It has everything that a guide has.
  await page.goto('/docs/api')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})

browserTest('the documentation fits on a phone', async () => {
  const page = await openPage({ url: bellhop.url, width: 390, height: 844 })
  for (const path of ['/docs', ...GUIDES.map(({ slug }) => `/docs/${slug}`)]) {
    await page.goto(path)
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390])
  }
})

browserTest('the reference can be read by everyone, and an operation tried by keyboard', async () => {
  const { key } = await bellhop.organization('Trying')
  const page = await openPage({ url: bellhop.url, width: 390, height: 844 })
  await page.goto('/docs')
  const creating = page.locator('#createTicket .try')
  await creating.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await creating.getByLabel('Secret key').waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(key)
  // The body of the example is there already.
  await creating.getByRole('button', { name: 'Create a ticket' }).press('Enter')
  await creating.getByRole('status').filter({ hasText: '201' }).waitFor()
  const made = JSON.parse((await creating.getByRole('group', { name: 'Response body' }).textContent()) ?? '')
  expect(made).toMatchObject({ subject: 'Missing invoice', status: 'open' })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  // The whole page, which takes seconds: once, with a form and an answer in it.
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  // The id of the new ticket, and the key, are in the next form.
  const reading = page.locator('#readTicket .try')
  await reading.locator('summary').first().click()
  await reading.getByLabel('id required').press('Enter')
  await reading.getByRole('status').filter({ hasText: '200 OK' }).waitFor()
  expect(await reading.getByRole('status').textContent()).toContain(`GET /v1/tickets/${made.id}`)
})

browserTest('the key of a tried operation stays in the tab, and says alone who calls', async () => {
  const { key } = await bellhop.organization('Trying')
  const page = await openPage({ url: bellhop.url })
  const open = async () => {
    await page.goto('/docs')
    await page.locator('#listTickets .try summary').first().click()
    return page.locator('#listTickets .try').getByLabel('Secret key')
  }
  await (await open()).fill(key)
  expect(await (await open()).inputValue()).toBe(key)
  expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(key)
  const requested = page.waitForRequest('**/v1/tickets')
  await (await open()).press('Enter')
  const headers = await (await requested).allHeaders()
  expect([headers.authorization, headers.cookie]).toEqual([`Bearer ${key}`, undefined])
  const other = await openPage({ url: bellhop.url })
  await other.goto('/docs')
  await other.locator('#listTickets .try summary').first().click()
  expect(await other.locator('#listTickets .try').getByLabel('Secret key').inputValue()).toBe('')
})

browserTest('all examples change to the language that a reader chose', async () => {
  const page = await openPage({ url: bellhop.url })
  await page.goto('/docs')
  const shown = (operation: string) =>
    page.locator(`#${operation} .code[data-language]:visible`).textContent()
  expect(await shown('updateTicket')).toStartWith('curl -X PATCH')
  await page.locator('#listTickets').getByRole('button', { name: 'Python' }).click()
  expect(await shown('updateTicket')).toStartWith('import json, os, urllib.request')
  await page.reload()
  expect(await shown('updateTicket')).toContain('urllib')
})
