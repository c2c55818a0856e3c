import { expect } from 'bun:test'
import { addMessages } from '../support/add-messages.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { addNote, readThread } from '../support/threads.ts'
import { openTicket, openTicketPage, openWorkspace, thread } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest('a thread opens at its unread messages, marks them as read, and keeps its position', async () => {
  const { ben, ticket, place } = await openWorkspace(bellhop)
  const now = Date.now()
  const old = Array.from({ length: 30 }, (_, at) => ({
    text: `Line ${at}\n`.repeat(4),
    createdAt: now + at,
  }))
  const readUpTo = await addMessages(bellhop.deps, place, ...old)
  await ben.call('PUT', `/console/tickets/${ticket.id}/read`, { body: { messageId: readUpTo } })
  const fresh = Array.from({ length: 14 }, (_, at) => ({
    text: `News ${at}\n`.repeat(4),
    createdAt: now + 100 + at,
  }))
  const newest = await addMessages(bellhop.deps, place, ...fresh)
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.bringToFront()
  const marker = page.locator('.thread-new')
  await marker.waitFor()
  const top = await page.locator('.thread-scroll').evaluate((element) => element.getBoundingClientRect().top)
  await eventually(async () => {
    const { y = 0 } = (await marker.boundingBox()) ?? {}
    return y >= top && y < top + 120
  })
  await eventually(async () => (await readThread(ben, ticket.id)).readUpTo === newest)
  expect(await marker.isVisible()).toBe(true)

  const before = await page.locator('.thread-scroll').evaluate((element) => element.scrollTop)
  await addMessages(bellhop.deps, place, { text: 'One more' })
  const pill = page.getByRole('button', { name: '1 new message' })
  await pill.waitFor()
  expect(await page.locator('.thread-scroll').evaluate((element) => element.scrollTop)).toBe(before)
  await pill.click()
  await pill.waitFor({ state: 'hidden' })
  await page.getByRole('region', { name: 'Thread' }).getByText('One more').waitFor()
})

browserTest('a thread of five hundred messages unfolds and stays quick', async () => {
  const { ben, ticket, place } = await openWorkspace(bellhop)
  const now = Date.now()
  const many = Array.from({ length: 499 }, (_, at) => ({
    ...(at % 3 === 2
      ? { role: 'agent' as const, agentName: 'Ben Okafor', agentId: ben.id, sending: 'sent' as const }
      : {}),
    text: `Message ${at}, see https://example.com/${at}.${'\n\nWith more to say.'.repeat(10)}\n\n> quoted\n> twice`,
    createdAt: now + (at - 500) * 6 * 60_000,
  }))
  await addMessages(bellhop.deps, place, ...many)
  const page = await openTicket(bellhop, ben, ticket.id)
  await eventually(async () => (await thread(page)).length === 3)
  await page.locator('.thread-earlier').scrollIntoViewIfNeeded()
  const shown = page.locator('.message-group').nth(-3)
  const before = await shown.evaluate((element) => element.getBoundingClientRect().top)
  await page.getByRole('button', { name: '497 earlier messages' }).click()
  await eventually(async () => (await thread(page)).length === 33)
  await eventually(async () => {
    const after = await shown.evaluate((element) => element.getBoundingClientRect().top)
    return Math.abs(after - before) < 4
  })
  await eventually(async () => {
    await page.locator('.thread-scroll').evaluate((element) => element.scrollTo(0, 0))
    return (await page.locator('.thread-earlier').count()) === 0
  })
  expect((await thread(page)).length).toBe(500)
  // Typing draws no message again.
  const drawn = await page.evaluate(async () => {
    const field = document.querySelector<HTMLElement>('.composer-field')
    const scroll = document.querySelector('.thread-scroll')
    if (!field || !scroll) throw new Error('The page has no thread or no field.')
    let changes = 0
    const observer = new MutationObserver((records) => {
      changes += records.length
    })
    observer.observe(scroll, { childList: true, subtree: true, characterData: true, attributes: true })
    field.focus()
    for (const letter of 'quick enough') {
      document.execCommand('insertText', false, letter)
      await new Promise(requestAnimationFrame)
    }
    return changes
  })
  expect(drawn).toBeLessThan(12)
})

browserTest(
  'only what does not fit is folded, and the newest sent message alone says that it was sent',
  async () => {
    const { ben, ticket, place } = await openWorkspace(bellhop)
    const now = Date.now()
    const short = Array.from({ length: 8 }, (_, at) => ({
      role: 'agent' as const,
      agentId: ben.id,
      agentName: ben.name,
      sending: 'sent' as const,
      text: `Line ${at}`,
      createdAt: now + at,
    }))
    await addMessages(bellhop.deps, place, ...short)
    const page = await openTicket(bellhop, ben, ticket.id)
    const region = page.getByRole('region', { name: 'Thread' })
    await region.getByText('Line 0').waitFor()
    await region.getByText('Line 7').waitFor()
    expect(await page.locator('.thread-earlier').count()).toBe(0)
    expect(await region.getByText('Sent', { exact: true }).count()).toBe(1)
  },
)

browserTest('links open elsewhere, quoted text is folded, and nothing in a message is HTML', async () => {
  const { page } = await openTicketPage(bellhop, {
    message:
      'See (https://example.com/a?b=1&c=2).\n<b onclick="alert(1)">bold</b> javascript:alert(1)\n\nOn Tue, 3 Mar 2026 at 09:30, Ben wrote:\n> Hello',
  })
  const link = page.locator('.message-text a')
  await link.first().waitFor()
  expect(await link.count()).toBe(1)
  expect(await link.getAttribute('href')).toBe('https://example.com/a?b=1&c=2')
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await link.getAttribute('target')).toBe('_blank')
  expect(await page.locator('.message-text b').count()).toBe(0)
  expect(await page.locator('.message-text').textContent()).toContain('<b onclick="alert(1)">bold</b>')
  expect(await page.locator('.message-text').textContent()).not.toContain('Hello')
  await page.getByRole('button', { name: 'Show quoted text' }).click()
  await page.locator('.message-text-quote').getByText('> Hello').waitFor()
})

browserTest(
  'a ticket is accessible, light and dark: its thread, a note being written, a picker',
  async () => {
    const { ben, ticket, place, client } = await openWorkspace(bellhop, {
      tags: ['billing', 'vip', 'q1', 'late'],
    })
    await client.call('PATCH', `/tickets/${ticket.id}`, { body: { assignedTo: ben.id } })
    await addNote(ben, ticket.id, 'Only for us.')
    await addMessages(bellhop.deps, place, {
      role: 'agent',
      agentId: ben.id,
      agentName: ben.name,
      sending: 'failed',
      text: 'Here it is.',
    })
    const page = await openTicket(bellhop, ben, ticket.id)
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.keyboard.press('n')
    await page.keyboard.type('Ask Dana.')
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('a')
    await page.getByRole('combobox', { name: 'Assign to' }).waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  },
)

browserTest(
  'words are highlighted in the thread as search matches them, regardless of accents, in its older part too',
  async () => {
    const { ben, ticket, place } = await openWorkspace(bellhop, { message: 'My Pélican case is broken.' })
    const readUpTo = await addMessages(
      bellhop.deps,
      place,
      ...Array.from({ length: 12 }, (_, at) => ({ text: `More ${at}\n`.repeat(16) })),
    )
    await ben.call('PUT', `/console/tickets/${ticket.id}/read`, { body: { messageId: readUpTo } })
    const page = await openTicket(bellhop, ben, ticket.id)
    await page.getByRole('button', { name: '10 earlier messages' }).waitFor()
    await page.goto(`/inbox/search/${ticket.id}?q=pelican`)
    const hit = page.getByRole('region', { name: 'Thread' }).locator('mark')
    await hit.waitFor()
    expect(await hit.textContent()).toBe('Pélican')
  },
)
