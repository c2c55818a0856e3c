import { afterAll, beforeAll, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaults } from '../support/axe.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { field, openDesk, openTicket, thread } from '../support/desk.ts'
import { say } from '../support/said.ts'
import { readThread } from '../support/threads.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

let bellhop: Bellhop

beforeAll(async () => {
  bellhop = await startBellhop()
})
afterAll(() => bellhop.stop())

browserTest('two agents see each other, and what the customer writes appears by itself', async () => {
  const { ben, ticket, place } = await openDesk(bellhop)
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  await using bens = await openTicket(bellhop, ben, ticket.id)
  await using cys = await openTicket(bellhop, cy, ticket.id)
  await bens.page.locator('.presence').getByText('Cy Lindqvist is here').waitFor({ state: 'attached' })
  await field(cys.page).pressSequentially('Let me')
  await bens.page.locator('.composer').getByText('Cy Lindqvist is replying').waitFor()
  await say(bellhop.deps, place, { text: 'Are you there?' })
  for (const { page } of [bens, cys]) {
    await page.getByRole('region', { name: 'Thread' }).getByText('Are you there?').waitFor()
  }
  await cys.page.goto('/inbox/open')
  await bens.page.locator('.presence-agent').waitFor({ state: 'hidden' })
})

browserTest('who is at the ticket is not said again when somebody else comes to their desk', async () => {
  const { ben, ticket } = await openDesk(bellhop)
  const cy = await signInAgent(bellhop, ben.orgId, { name: 'Cy Lindqvist' })
  const dee = await signInAgent(bellhop, ben.orgId, { name: 'Dee Okonjo' })
  await using bens = await openTicket(bellhop, ben, ticket.id)
  await using _cys = await openTicket(bellhop, cy, ticket.id)
  const colleague = bens.page.locator('.presence-agent')
  await colleague.waitFor({ state: 'attached' })
  const said = await colleague.elementHandle()
  await using dees = await openWindow({ url: bellhop.url, agent: dee })
  await dees.page.goto('/inbox')
  await bens.page.getByText('3 online').waitFor()
  expect(await said?.evaluate((element) => element.isConnected)).toBe(true)
})

browserTest('a status, an assignee and a tag are seen at once, with an Undo, and by the server', async () => {
  const { ben, ticket, client } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Status: Resolved' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'resolved')
  await page.keyboard.press('Control+z')
  await page.getByRole('button', { name: 'Status: Open' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).status === 'open')

  await page.keyboard.press('i')
  await page.getByRole('button', { name: 'Assignee: Ben Okafor' }).waitFor()
  const took = page.getByText('Ben Okafor took it')
  // In the thread, and in the activity beside it.
  await eventually(async () => (await took.count()) === 2)
  await page.keyboard.press('t')
  await page.getByRole('combobox', { name: 'Add or remove tags' }).waitFor()
  await page.keyboard.type('vip')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Tags: vip' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).tags.includes('vip'))
  await page.getByText('Ben Okafor added the tag vip').first().waitFor()
  const items = [{ id: ticket.id, change: { assignedTo: null } }]
  await ben.call('POST', '/console/bulk', { body: { items } })
  await page.getByText('Ben Okafor unassigned themselves').first().waitFor()
})

browserTest('a key that is pressed the moment a picker closes does what it does', async () => {
  const { ben, ticket, client } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.keyboard.press('a')
  await page.getByRole('combobox', { name: 'Assign to' }).waitFor()
  await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('e')])
  await page.getByRole('button', { name: 'Status: Resolved' }).waitFor()
  await eventually(async () => {
    const { status, assignedTo } = await readTicket(client, ticket.id)
    return status === 'resolved' && assignedTo === ben.id
  })
})

browserTest('a change that the server refuses is taken back, and the reason is said', async () => {
  const { ben, ticket } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.route('**/console/bulk', (route) =>
    route.fulfill({
      status: 403,
      contentType: 'application/problem+json',
      body: JSON.stringify({ code: 'not_yours', detail: 'Only Dana may resolve this.' }),
    }),
  )
  await page.keyboard.press('e')
  await page.getByText('Only Dana may resolve this.').waitFor()
  await page.getByRole('button', { name: 'Status: Open' }).waitFor()
})

browserTest('send, resolve and open the next ticket, without a mouse', async () => {
  const { ben, ticket, client } = await openDesk(bellhop, { subject: 'First' })
  const other = await makeTicket(client, { subject: 'Second' })
  await using window = await openTicket(bellhop, ben, other.id)
  const { page } = window
  await page.getByRole('option').nth(1).waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('Done.')
  await page.keyboard.press('Control+Shift+Enter')
  await page.waitForURL(`**/inbox/open/${ticket.id}`)
  await eventually(async () => (await readThread(ben, other.id)).waiting[0]?.thenStatus === 'resolved')
  await page.getByText('Sending, then resolving').waitFor()
  await page.keyboard.press('Control+z')
  await page.waitForURL(`**/inbox/open/${other.id}`)
  await eventually(async () => (await field(page).inputValue()) === 'Done.')
  await eventually(() => field(page).evaluate((element) => element === document.activeElement))
})

browserTest('a thread begins at what is new, marks it read, and keeps its place', async () => {
  const { ben, ticket, place } = await openDesk(bellhop)
  const now = Date.now()
  const old = Array.from({ length: 30 }, (_, at) => ({
    text: `Line ${at}\n`.repeat(4),
    createdAt: now + at,
  }))
  const readUpTo = await say(bellhop.deps, place, ...old)
  await ben.call('PUT', `/console/tickets/${ticket.id}/read`, { body: { messageId: readUpTo } })
  const fresh = Array.from({ length: 14 }, (_, at) => ({
    text: `News ${at}\n`.repeat(4),
    createdAt: now + 100 + at,
  }))
  const newest = await say(bellhop.deps, place, ...fresh)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.bringToFront()
  const marker = page.locator('.thread-new')
  expect(await marker.isVisible()).toBe(true)
  const top = await page.locator('.thread-scroll').evaluate((element) => element.getBoundingClientRect().top)
  const box = await marker.boundingBox()
  expect(box?.y).toBeWithin(top, top + 120)
  await eventually(async () => (await readThread(ben, ticket.id)).readUpTo === newest)
  expect(await marker.isVisible()).toBe(true)

  const before = await page.locator('.thread-scroll').evaluate((element) => element.scrollTop)
  await say(bellhop.deps, place, { text: 'One more' })
  const pill = page.getByRole('button', { name: '1 new message' })
  await pill.waitFor()
  expect(await page.locator('.thread-scroll').evaluate((element) => element.scrollTop)).toBe(before)
  await pill.click()
  await pill.waitFor({ state: 'hidden' })
  await page.getByRole('region', { name: 'Thread' }).getByText('One more').waitFor()
})

browserTest('the focus stays in the ticket when what had it goes', async () => {
  const { ben, ticket } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName)
  await page.keyboard.press('r')
  await page.keyboard.press('Escape')
  expect(await focused()).toBe('Ticket')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete for ever…' }).click()
  await page.getByRole('dialog').getByRole('textbox').waitFor()
  await page.keyboard.press('Escape')
  await eventually(async () => (await focused()) === 'More')
})

browserTest('a ticket that nobody has read begins with its first message', async () => {
  const { ben, ticket } = await openDesk(bellhop, {
    message: `First line\n${'And more.\n'.repeat(120)}The end`,
  })
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.locator('.thread-new').waitFor()
  expect(await page.locator('.thread-scroll').evaluate((element) => element.scrollTop)).toBe(0)
  await eventually(async () => (await readThread(ben, ticket.id)).readUpTo !== null)
  await page.reload()
  await field(page).waitFor()
  await eventually(() => page.locator('.thread-scroll').evaluate((element) => element.scrollTop > 200))
  expect(await page.locator('.thread-new').count()).toBe(0)
})

browserTest('a thread of five hundred messages unfolds and stays quick', async () => {
  const { ben, ticket, place } = await openDesk(bellhop)
  const now = Date.now()
  const many = Array.from({ length: 499 }, (_, at) => ({
    ...(at % 3 === 2
      ? { role: 'agent' as const, agentName: 'Ben Okafor', agentId: ben.id, sending: 'sent' as const }
      : {}),
    text: `Message ${at}, see https://example.com/${at}.${'\n\nWith more to say.'.repeat(10)}\n\n> quoted\n> twice`,
    createdAt: now + (at - 500) * 6 * 60_000,
  }))
  await say(bellhop.deps, place, ...many)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  expect((await thread(page)).length).toBe(3)
  await page.locator('.thread-earlier').scrollIntoViewIfNeeded()
  const shown = page.locator('.speech').nth(-3)
  const before = await shown.evaluate((element) => element.getBoundingClientRect().top)
  await page.getByRole('button', { name: '497 earlier messages' }).click()
  expect((await thread(page)).length).toBe(33)
  const after = await page
    .locator('.speech')
    .nth(-3)
    .evaluate((element) => element.getBoundingClientRect().top)
  expect(Math.abs(after - before)).toBeLessThan(4)
  await eventually(async () => {
    await page.locator('.thread-scroll').evaluate((element) => element.scrollTo(0, 0))
    return (await page.locator('.thread-earlier').count()) === 0
  })
  expect((await thread(page)).length).toBe(500)
  const typing = await page.evaluate(async () => {
    const field = document.querySelector<HTMLTextAreaElement>('.composer-field')
    if (!field) throw new Error('There is nowhere to write.')
    field.focus()
    const started = performance.now()
    for (const letter of 'quick enough') {
      field.value += letter
      field.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await new Promise(requestAnimationFrame)
    }
    return (performance.now() - started) / 12
  })
  expect(typing).toBeLessThan(60)
})

browserTest('links open elsewhere, quoted mail is folded, and nothing in a message is HTML', async () => {
  const { ben, ticket } = await openDesk(bellhop, {
    message:
      'See (https://example.com/a?b=1&c=2).\n<b onclick="alert(1)">bold</b> javascript:alert(1)\n\nOn Tue, 3 Mar 2026 at 09:30, Ben wrote:\n> Hello',
  })
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  const link = page.locator('.message-text a')
  expect(await link.count()).toBe(1)
  expect(await link.getAttribute('href')).toBe('https://example.com/a?b=1&c=2')
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await link.getAttribute('target')).toBe('_blank')
  expect(await page.locator('.message-text b').count()).toBe(0)
  expect(await page.locator('.message-text').textContent()).toContain('<b onclick="alert(1)">bold</b>')
  expect(await page.locator('.message-text').textContent()).not.toContain('Hello')
  await page.getByRole('button', { name: 'Show quoted mail' }).click()
  await page.locator('.quote').getByText('> Hello').waitFor()
})

browserTest('the subject is changed in its place, and a ticket is deleted only by its word', async () => {
  const { ben, ticket, client } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.getByRole('button', { name: 'Missing invoice' }).click()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Invoice for February')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Invoice for February' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).subject === 'Invoice for February')

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete for ever…' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Delete ticket' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('delete')
  await dialog.getByRole('button', { name: 'Delete ticket' }).click()
  await page.getByText('Ticket deleted').waitFor()
  expect((await client.call('GET', `/tickets/${ticket.id}`)).status).toBe(404)
})

browserTest('a subject being changed is left alone by what happens meanwhile, and has an Undo', async () => {
  const { ben, ticket, client, place } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  const subject = page.getByRole('textbox', { name: 'Subject' })
  await page.getByRole('button', { name: 'Missing invoice' }).click()
  await subject.fill('Invoice for')
  await say(bellhop.deps, place, { text: 'Are you there?' })
  await client.call('PATCH', `/tickets/${ticket.id}`, { body: { tags: ['vip'] } })
  await page.getByRole('region', { name: 'Thread' }).getByText('Are you there?').waitFor()
  await page.getByRole('button', { name: 'Tags: vip' }).waitFor()
  expect(await subject.inputValue()).toBe('Invoice for')
  await page.keyboard.type(' February')
  await page.keyboard.press('Enter')
  await eventually(async () => (await readTicket(client, ticket.id)).subject === 'Invoice for February')
  await page.keyboard.press('Control+z')
  await page.getByRole('button', { name: 'Missing invoice' }).waitFor()
  await eventually(async () => (await readTicket(client, ticket.id)).subject === 'Missing invoice')
})

for (const theme of ['light', 'dark'] as const) {
  browserTest(
    `a ticket is for everybody: its thread, a note being written, a menu, a picker, ${theme}`,
    async () => {
      const { ben, ticket, place, client } = await openDesk(bellhop, {
        tags: ['billing', 'vip', 'q1', 'late'],
      })
      await client.call('PATCH', `/tickets/${ticket.id}`, { body: { assignedTo: ben.id } })
      await ben.call('POST', `/console/tickets/${ticket.id}/notes`, { body: { text: 'Only for us.' } })
      await say(bellhop.deps, place, {
        role: 'agent',
        agentId: ben.id,
        agentName: ben.name,
        sending: 'failed',
        text: 'Here it is.',
      })
      await using window = await openTicket(bellhop, ben, ticket.id, { theme })
      const { page } = window
      expect(await accessibilityFaults(page)).toEqual([])
      await page.keyboard.press('n')
      await page.keyboard.type('Ask Dana.')
      expect(await accessibilityFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.keyboard.press('a')
      await page.getByRole('combobox', { name: 'Assign to' }).waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
    },
  )
}

browserTest('a word is marked in the thread as the search finds it, whatever its accents', async () => {
  const { ben, ticket } = await openDesk(bellhop, { message: 'Both cafés are closed.' })
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.goto(`/inbox/search/${ticket.id}?q=cafe`)
  const hit = page.getByRole('region', { name: 'Thread' }).locator('mark')
  await hit.waitFor()
  expect(await hit.textContent()).toBe('cafés')
})

browserTest('what was searched for is marked in the thread, also in its older part', async () => {
  const { ben, ticket, place } = await openDesk(bellhop, { message: 'My Pelican case is broken.' })
  const readUpTo = await say(
    bellhop.deps,
    place,
    ...Array.from({ length: 12 }, (_, at) => ({ text: `More ${at}` })),
  )
  await ben.call('PUT', `/console/tickets/${ticket.id}/read`, { body: { messageId: readUpTo } })
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await page.getByRole('button', { name: '10 earlier messages' }).waitFor()
  await page.goto(`/inbox/search/${ticket.id}?q=pelican`)
  const hit = page.getByRole('region', { name: 'Thread' }).locator('mark')
  await hit.waitFor()
  expect(await hit.textContent()).toBe('Pelican')
})
