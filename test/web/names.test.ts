import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openTicketPage } from '../support/ticket-page.ts'
import { readTicket } from '../support/tickets.ts'

/** It reads `Ana exe.tluaf`, and turns what follows. */
const NAME = 'Ana \u202efault\u200f.\u061cexe'
const SUBJECT = '\u2067Refund\u200e \u202dplease'
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

const bellhop = await sharedBellhop()

browserTest('a name cannot reverse the text around it, and a link cannot imitate another host', async () => {
  const { client, ticket, page } = await openTicketPage(bellhop, {
    subject: SUBJECT,
    customer: { name: NAME, email: 'ana@example.com' },
    message: 'Please sign in at https://аpple.com/account, or at https://bücher.example.',
  })
  const links = page.locator('.message-text a')
  expect(await links.allTextContents()).toEqual([
    'https://xn--pple-43d.com/account',
    'https://bücher.example',
  ])
  const row = page.locator('.ticket-row').first()
  await row.getByText('Ana fault.exe').waitFor()
  await row.getByText('Refund please').waitFor()
  expect(await turned(page)).toEqual([])
  // Letters stand in the order in which they are written.
  const places = await row.getByText('Ana fault.exe').evaluate((element) => {
    const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
    if (!text) return []
    return Array.from({ length: text.textContent?.length ?? 0 }, (_, at) => {
      const range = document.createRange()
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return range.getBoundingClientRect().left
    })
  })
  expect(places.length).toBe('Ana fault.exe'.length)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  // The API gives back what it was given.
  const { subject, customer } = await readTicket(client, ticket.id)
  expect([subject, customer.name]).toEqual([SUBJECT, NAME])
})

/** The texts, labels and the title of the page that hold a character that turns text. */
function turned(page: Page): Promise<string[]> {
  return page.evaluate((pattern) => {
    const found = [document.title]
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) found.push(node.textContent ?? '')
    for (const element of document.querySelectorAll('*')) {
      for (const { value } of element.attributes) found.push(value)
    }
    return found.filter((text) => new RegExp(pattern).test(text))
  }, TURNING.source)
}
