import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { addMessages } from '../support/add-messages.ts'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { openList, rowOf, subjectsOf } from '../support/inbox.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { openSuggestionsOf, programOf, suggest, suggestionsOf } from '../support/suggestions.ts'
import { draftBecomes, readThread, sendNow, sendReply } from '../support/threads.ts'
import { editor, field, openTicket, openWorkspace, textIn } from '../support/ticket-page.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

const LINES = Array.from({ length: 14 }, (_, at) => `${at + 1}. Step number ${at + 1}`).join('\n')
const SOURCES = [
  { title: 'Refunds', url: 'https://help.example.com/refunds' },
  { title: 'Terms', url: 'https://www.example.com/terms' },
  { title: 'Price list', url: 'https://www.example.com/prices' },
  { title: 'Carriers', url: 'https://carriers.example.com/all' },
]

const suggestedBy = (page: Page, name = 'Answer bot') =>
  page.getByRole('article', { name: `Suggested by ${name}` })

const useButton = (page: Page) => page.getByRole('button', { name: 'Use the reply by Answer bot' })

const noteButton = (page: Page) => page.getByRole('button', { name: 'Note', exact: true })

/** The server doesn't hear of the next use before it may. */
async function holdUse(page: Page, answer: 'continue' | 'abort' = 'continue'): Promise<() => void> {
  const mayGo = Promise.withResolvers<void>()
  await interceptRequests(page, '**/use', async (route) => {
    await mayGo.promise
    await route[answer]()
  })
  return mayGo.resolve
}

/** Neither the customer nor a queue has anything of it. */
async function nothingWasSent(...[{ client, ben, ticket }]: [Awaited<ReturnType<typeof openWorkspace>>]) {
  expect((await readTicket(client, ticket.id)).messages).toHaveLength(1)
  expect((await readThread(ben, ticket.id)).waiting).toEqual([])
}

browserTest('an agent puts a suggestion below their own words, changes it, and sends it', async () => {
  const workspace = await openWorkspace(bellhop)
  const { client, ben, ticket } = workspace
  const bot = await programOf(bellhop, client, 'Answer bot')
  const page = await openTicket(bellhop, ben, ticket.id)
  await field(page).fill('Hi Ana,')
  const { id } = await upload(bot, 'label.txt')
  const text = `It is **on its way**:\n\n${LINES}`
  const made = { text, format: 'markdown', sources: SOURCES, confidence: 0.84, attachments: [id] }
  await suggest(bot, ticket.id, made)

  const shown = suggestedBy(page)
  await shown.getByText('84%').waitFor()
  await shown.locator('strong', { hasText: 'on its way' }).waitFor()
  const source = shown.getByRole('link', { name: 'Refunds help.example.com' })
  expect(await source.getAttribute('target')).toBe('_blank')
  expect(await source.getAttribute('rel')).toContain('noopener')
  const last = shown.getByText('Step number 14')
  const isVisible = () =>
    last.evaluate((element) => {
      const box = element.getBoundingClientRect()
      return document.elementFromPoint(box.left + 5, box.top + 5)?.contains(element) === true
    })
  expect(await isVisible()).toBe(false)
  expect(await shown.getByRole('link', { name: /Carriers/ }).count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await shown.getByRole('button', { name: 'Show all' }).click()
  await shown.getByRole('link', { name: /Carriers/ }).waitFor()
  await last.scrollIntoViewIfNeeded()
  expect(await isVisible()).toBe(true)
  await shown.getByText('label.txt').waitFor()
  await shown.getByRole('button', { name: 'Show less' }).click()
  await nothingWasSent(workspace)

  await page.getByRole('article', { name: 'Ticket' }).focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Use suggested reply').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('y')
  await eventually(async () => (await textIn(page)).includes('Step number 14'))
  expect((await textIn(page)).startsWith('Hi Ana,\n\nIt is on its way:\n\nStep number 1')).toBe(true)
  expect(await editor(page).evaluate((element) => element === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Remove label.txt' }).waitFor()
  await shown.getByText('In your reply').waitFor()
  expect(await useButton(page).count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  await page.keyboard.press('Control+z')
  await eventually(async () => (await textIn(page)) === 'Hi Ana,')
  await page.keyboard.press('Control+Shift+z')
  await eventually(async () => (await textIn(page)).includes('Step number 14'))
  await nothingWasSent(workspace)

  await page.keyboard.type(' and the last one')
  await page.keyboard.press('Control+Enter')
  const queued = page.getByRole('article', { name: 'Queued reply' })
  await queued.waitFor()
  await shown.waitFor({ state: 'detached' })
  expect((await suggestionsOf(bot, ticket.id)).map(({ state }) => state)).toEqual(['open'])
  await queued.getByRole('button', { name: 'Undo' }).click()
  await shown.getByText('In your reply').waitFor()
  expect(await textIn(page)).toContain('and the last one')

  await page.keyboard.press('Control+Enter')
  await queued.getByRole('button', { name: 'Send now' }).click()
  await eventually(async () => (await readTicket(client, ticket.id)).messages.length === 2)
  const { messages } = await readTicket(client, ticket.id)
  expect(messages[1]).toMatchObject({ role: 'agent', attachments: [{ name: 'label.txt' }] })
  expect(await suggestionsOf(bot, ticket.id)).toMatchObject([{ state: 'edited', messageId: messages[1]?.id }])
  expect(await page.getByRole('region', { name: 'Suggested replies' }).count()).toBe(0)
})

browserTest(
  'a plain text that is used and sent as it is counts as sent, also by an agent who writes Markdown',
  async () => {
    for (const writesMarkdown of [false, true]) {
      const workspace = await openWorkspace(bellhop)
      const { client, ben, ticket } = workspace
      const bot = await programOf(bellhop, client, 'Answer bot')
      await suggest(bot, ticket.id, { text: 'It costs 2*3 dollars.\nOr _less_.\n\nBest' })
      const page = await openTicket(bellhop, ben, ticket.id, { writesMarkdown })
      await suggestedBy(page).getByRole('button', { name: 'Use' }).click()
      await eventually(async () => (await textIn(page)).includes('dollars'))
      await page.keyboard.press('Control+Enter')
      await page.getByRole('button', { name: 'Send now' }).click()
      await eventually(async () => (await suggestionsOf(bot, ticket.id))[0]?.state !== 'open')
      expect(await suggestionsOf(bot, ticket.id)).toMatchObject([{ state: 'sent', similarity: 1 }])
    }
  },
)

browserTest(
  'a colleague sees who is using a suggestion, and a dismissed one is gone from both pages',
  async () => {
    const workspace = await openWorkspace(bellhop)
    const { client, ben, ticket } = workspace
    const mia = await signInAgent(bellhop, ben.orgId, { name: 'Mia Chen' })
    const [bot, other] = [
      await programOf(bellhop, client, 'Answer bot'),
      await programOf(bellhop, client, 'Other bot'),
    ]
    await suggest(bot, ticket.id, { text: 'Older answer' })
    await suggest(other, ticket.id, { text: 'Newer answer' })
    const [bens, mias] = [
      await openTicket(bellhop, ben, ticket.id),
      await openTicket(bellhop, mia, ticket.id),
    ]
    await suggestedBy(bens, 'Other bot').waitFor()
    const names = await bens.locator('.suggested-reply strong').allTextContents()
    expect(names).toEqual(['Other bot', 'Answer bot'])

    await suggestedBy(mias).getByRole('button', { name: 'Use' }).click()
    await suggestedBy(bens).getByText('Mia Chen is using this').waitFor()
    await eventually(async () => (await textIn(mias)) === 'Older answer')

    await mias.keyboard.press('Control+a')
    await mias.keyboard.type('My own words')
    await useButton(mias).waitFor()
    expect(await suggestedBy(mias).getByText('In your reply').count()).toBe(0)
    await suggestedBy(mias).getByText('Older answer').waitFor()
    await mias.keyboard.press('Control+a')
    await mias.keyboard.press('Delete')
    await useButton(mias).click()
    await suggestedBy(mias).getByText('In your reply').waitFor()
    expect(await textIn(mias)).toBe('Older answer')

    await suggestedBy(bens, 'Other bot').getByRole('button', { name: 'Dismiss' }).click()
    const reason = bens.getByRole('textbox', { name: 'Reason (optional)' })
    expect(await accessibilityFaultsInBothThemes(bens)).toEqual([])
    await reason.press('Escape')
    await reason.waitFor({ state: 'detached' })
    expect(await bens.evaluate(() => document.activeElement?.textContent)).toContain('by Other bot')
    await bens.keyboard.press('Enter')
    await reason.fill('Wrong product')
    await reason.press('Enter')
    for (const page of [bens, mias]) await suggestedBy(page, 'Other bot').waitFor({ state: 'detached' })
    const [newest] = await suggestionsOf(other, ticket.id)
    expect(newest).toMatchObject({ state: 'rejected', reason: 'Wrong product' })
    expect(await textIn(mias)).toBe('Older answer')
    await suggestedBy(bens).getByText('Mia Chen is using this').waitFor()
    await mias.goto('/inbox')
    await suggestedBy(bens).getByText('Mia Chen is using this').waitFor({ state: 'detached' })
    await nothingWasSent(workspace)
  },
)

browserTest('what an agent does before the server has answered to Use is not mixed with it', async () => {
  const workspace = await openWorkspace(bellhop)
  const { client, ben, ticket } = workspace
  const bot = await programOf(bellhop, client, 'Answer bot')
  const { id } = await upload(bot, 'label.txt')
  await suggest(bot, ticket.id, { text: 'For the customer', attachments: [id] })
  const page = await openTicket(bellhop, ben, ticket.id)
  await noteButton(page).click()
  const letUse = await holdUse(page)
  await useButton(page).click()
  expect(await textIn(page)).toBe('For the customer')
  await page.keyboard.type(', and more')
  expect(await textIn(page)).toBe('For the customer, and more')

  await noteButton(page).click()
  await page.keyboard.type('Between us')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('article', { name: /note/i }).getByText('Between us').waitFor()
  await noteButton(page).click()
  await page.keyboard.type('One more')
  letUse()
  await eventually(async () => {
    const reply = (await readThread(ben, ticket.id)).drafts.find(({ kind }) => kind === 'reply')
    return reply?.attachments?.[0]?.name === 'label.txt' && reply.text === 'For the customer, and more'
  })
  expect(await textIn(page)).toBe('One more')
  expect(await editor(page).evaluate((element) => element === document.activeElement)).toBe(true)
  await draftBecomes(ben, ticket.id, { kind: 'note', text: 'One more' })
  await nothingWasSent(workspace)
})

browserTest('files of a suggestion reach the reply of a ticket that the agent has left', async () => {
  const { client, ben, ticket } = await openWorkspace(bellhop)
  const other = await makeTicket(client, { subject: 'Another one' })
  const bot = await programOf(bellhop, client, 'Answer bot')
  const { id } = await upload(bot, 'label.txt')
  await suggest(bot, ticket.id, { text: 'For the customer', attachments: [id] })
  const page = await openTicket(bellhop, ben, ticket.id)
  const letUse = await holdUse(page)
  await useButton(page).click()
  await rowOf(page, 'Another one').click()
  await page.waitForURL(`**/${other.id}`)
  letUse()
  await eventually(async () => (await readThread(ben, ticket.id)).drafts[0]?.attachments?.length === 1)
  expect((await readThread(ben, other.id)).drafts).toEqual([])
  expect(await textIn(page)).toBe('')
})

browserTest(
  'without an undo time, a reply is sent after the use and the files that it is made of',
  async () => {
    const { client, ben, ticket } = await openWorkspace(bellhop)
    await ben.call('PATCH', '/console/organization', { body: { undoApiSeconds: 0 } })
    const bot = await programOf(bellhop, client, 'Answer bot')
    const { id } = await upload(bot, 'label.txt')
    const page = await openTicket(bellhop, ben, ticket.id)
    for (const attachments of [[id], []]) {
      await suggest(bot, ticket.id, { text: `It leaves with ${attachments.length} files.`, attachments })
      const letUse = await holdUse(page)
      await useButton(page).click()
      await page.keyboard.press('Control+Enter')
      await page.getByText('Sends in a moment').waitFor()
      letUse()
      await suggestedBy(page).waitFor({ state: 'detached' })
      await eventually(async () => (await suggestionsOf(bot, ticket.id))[0]?.state === 'sent')
      const { messages } = await readTicket(client, ticket.id)
      expect(messages.at(-1)?.attachments?.length ?? 0).toBe(attachments.length)
      expect(await textIn(page)).toBe('')
      await page.unroute('**/use')
      await client.call('POST', `/tickets/${ticket.id}/messages`, {
        body: { text: 'And?', role: 'customer' },
      })
    }
  },
)

browserTest(
  'the text stays when the server does not hear of its use, and missing files are named',
  async () => {
    const { client, ben, ticket } = await openWorkspace(bellhop)
    const bot = await programOf(bellhop, client, 'Answer bot')
    const page = await openTicket(bellhop, ben, ticket.id)
    const { id } = await upload(bot, 'label.txt')
    for (const attachments of [[], [id]]) {
      const text = `An answer with ${attachments.length} files`
      await suggest(bot, ticket.id, { text, attachments })
      await suggestedBy(page).getByText(text).waitFor()
      const letFail = await holdUse(page, 'abort')
      await useButton(page).click()
      await suggestedBy(page).getByText('In your reply').waitFor()
      const failed = page.waitForEvent('requestfailed')
      letFail()
      await failed
      if (attachments.length > 0) await page.getByText("Couldn't add the files of the suggestion.").waitFor()
      else expect(await page.getByText("Couldn't").count()).toBe(0)
      expect(await textIn(page)).toBe(text)
      await page.keyboard.press('Control+z')
      await eventually(async () => (await textIn(page)) === '')
      await page.unroute('**/use')
    }
  },
)

browserTest('a suggestion stays when its mail is forwarded to someone else', async () => {
  const { client, ben } = await openWorkspace(bellhop)
  const ledger = await openLedger(bellhop, client.orgId, 'support@acme.example')
  const head = ['From: ana@customer.test', 'To: support@acme.example', 'Subject: Parcel']
  const mail = await ledger.fetched([...head, '', 'Where is it?'].join('\r\n'))
  const id = mail.ticketId ?? ''
  const bot = await programOf(bellhop, client, 'Answer bot')
  await suggest(bot, id, { text: 'It leaves today.' })
  const page = await openTicket(bellhop, ben, id)
  await suggestedBy(page).waitFor()
  const question = (await readTicket(client, id)).messages[0]?.id ?? ''
  const body = { id: bellhop.deps.newId('msg'), to: [{ address: 'desk@carrier.test' }], text: 'Any idea?' }
  await ben.call('POST', `/console/tickets/${id}/messages/${question}/forward`, { body })
  await page.getByRole('region', { name: 'Thread' }).getByText('Any idea?').waitFor()
  expect(await openSuggestionsOf(ben, id)).toHaveLength(1)
  expect(await suggestedBy(page).count()).toBe(1)
})

browserTest('the host of a source is in sight, whatever its title is', async () => {
  const { client, ben, ticket } = await openWorkspace(bellhop)
  const bot = await programOf(bellhop, client, 'Answer bot')
  const page = await openTicket(bellhop, ben, ticket.id)
  const title = 'Refunds and returns policy of the shop in Lisbon, with all of its annexes'
  await suggest(bot, ticket.id, {
    text: 'An answer',
    sources: [{ title, url: 'https://help.example.com/refunds' }],
  })
  const host = suggestedBy(page).getByText('help.example.com')
  await host.waitFor()
  const isInside = await host.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect()
    const item = element.closest('li')?.getBoundingClientRect()
    return item !== undefined && left > item.left + 40 && right <= item.right + 1
  })
  expect(isInside).toBe(true)
})

browserTest('a dismissed suggestion comes back when the server cannot be reached', async () => {
  const workspace = await openWorkspace(bellhop)
  const bot = await programOf(bellhop, workspace.client, 'Answer bot')
  await suggest(bot, workspace.ticket.id, { text: 'An answer' })
  const page = await openTicket(bellhop, workspace.ben, workspace.ticket.id)
  const letFail = Promise.withResolvers<void>()
  await interceptRequests(page, '**/dismiss', async (route) => {
    await letFail.promise
    await route.abort()
  })
  const shown = suggestedBy(page)
  await shown.getByRole('button', { name: 'Dismiss' }).click()
  await page.keyboard.press('Enter')
  await shown.waitFor({ state: 'detached' })
  letFail.resolve()
  await shown.waitFor()
  await page.getByText("Couldn't dismiss the suggestion.").waitFor()
})

browserTest('what is suggested changes on an open page, and the reply there stays as it is', async () => {
  const workspace = await openWorkspace(bellhop)
  const { client, ben, ticket } = workspace
  const bot = await programOf(bellhop, client, 'Answer bot')
  const page = await openTicket(bellhop, ben, ticket.id)
  await suggest(bot, ticket.id, { text: 'First answer' })
  const shown = suggestedBy(page)
  await shown.getByRole('button', { name: 'Use' }).click()
  await eventually(async () => (await textIn(page)) === 'First answer')
  await page.keyboard.type(', changed')

  await suggest(bot, ticket.id, { text: 'Second answer' })
  await shown.getByText('Second answer').waitFor()
  expect(await page.getByText('First answer', { exact: true }).count()).toBe(0)
  expect(await textIn(page)).toBe('First answer, changed')

  await client.call('POST', `/tickets/${ticket.id}/messages`, {
    body: { text: 'One more thing', role: 'customer' },
  })
  await shown.waitFor({ state: 'detached' })
  expect(await textIn(page)).toBe('First answer, changed')

  await suggest(bot, ticket.id, { text: 'Third answer' })
  await shown.getByText('Third answer').waitFor()
  await client.call('POST', `/tickets/${ticket.id}/messages`, { body: { text: 'Answered elsewhere' } })
  await shown.waitFor({ state: 'detached' })
  expect(await textIn(page)).toBe('First answer, changed')
  const states = (await suggestionsOf(bot, ticket.id)).map(({ state }) => state)
  expect(states).toEqual(['superseded', 'superseded', 'superseded'])
  expect((await readThread(ben, ticket.id)).waiting).toEqual([])
})

browserTest('the newest message stays in sight when a suggestion takes its place', async () => {
  const { client, ben, ticket, place } = await openWorkspace(bellhop, { subject: 'Long one' })
  const bot = await programOf(bellhop, client, 'Answer bot')
  for (let turn = 0; turn < 6; turn += 1) {
    const written = turn % 2 === 0 ? ({ role: 'agent', agentId: ben.id, agentName: ben.name } as const) : {}
    await addMessages(bellhop.deps, place, { text: `Line of ${turn}\n`.repeat(6), ...written })
  }
  const page = await openPage({ url: bellhop.url, agent: ben, width: 1000, height: 800 })
  const isAtEnd = () =>
    page.locator('.thread-scroll').evaluate((thread) => {
      return Math.abs(thread.scrollHeight - thread.scrollTop - thread.clientHeight) < 2
    })
  await openList(page, '/inbox/open')
  await suggest(bot, ticket.id, { text: 'An answer\n'.repeat(4) })
  await rowOf(page, 'Long one').click()
  await suggestedBy(page).waitFor()
  await eventually(isAtEnd)
  await suggest(bot, ticket.id, { text: 'A longer answer\n'.repeat(9), sources: SOURCES })
  await suggestedBy(page).getByText('A longer answer').waitFor()
  await eventually(isAtEnd)
})

browserTest('the list marks tickets with a suggestion, and a view has them while there are any', async () => {
  const workspace = await openWorkspace(bellhop, { subject: 'Suggested for' })
  const { client, ben, ticket } = workspace
  await makeTicket(client, { subject: 'Another one' })
  const bot = await programOf(bellhop, client, 'Answer bot')
  const page = await openPage({ url: bellhop.url, agent: ben })
  await openList(page, '/inbox/open')
  const view = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /Suggested/ })
  expect(await view.count()).toBe(0)
  await suggest(bot, ticket.id, { text: 'An answer' })
  await rowOf(page, 'Suggested for').getByRole('img', { name: 'A reply is suggested' }).waitFor()
  expect(await rowOf(page, 'Another one').getByRole('img', { name: 'A reply is suggested' }).count()).toBe(0)
  expect(await view.textContent()).toContain('1')
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('y')])
  await eventually(async () => (await subjectsOf(page)).join() === 'Suggested for')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  const search = page.getByRole('combobox', { name: /Search/ })
  await search.fill('is:sugg')
  await page.getByText('a reply is suggested').waitFor()
})

browserTest('an administrator sees what became of the suggestions of a program and of a key', async () => {
  const workspace = await openWorkspace(bellhop)
  const { client, ben, ticket } = workspace
  const bot = await programOf(bellhop, client, 'Answer bot')
  const script = await client.withKey({ name: 'Script', scopes: ['suggestions:write', 'tickets:read'] })
  const used = await suggest(bot, ticket.id, { text: 'An answer' })
  const path = `/console/tickets/${ticket.id}`
  expect((await ben.call('POST', `${path}/suggestions/${used.id}/use`)).status).toBe(200)
  await suggest(script, ticket.id, { text: 'Another answer' })
  const { id } = await sendReply(ben, ticket.id, { text: 'An answer' })
  await sendNow(ben, ticket.id, id)
  await eventually(async () => (await suggestionsOf(bot, ticket.id)).every(({ state }) => state !== 'open'))
  await suggest(bot, (await makeTicket(client)).id, { text: 'An open one' })

  const page = await openPage({ url: bellhop.url, agent: ben })
  await page.goto('/settings/agents')
  const row = page.getByRole('listitem').filter({ hasText: 'Answer bot' })
  await row.getByText('Suggestions in the last 90 days: 1 used, 1 open').waitFor()
  await page.goto('/settings/keys')
  const key = page.getByRole('listitem').filter({ hasText: 'Script' })
  await key.getByText('Suggestions in the last 90 days: 1 not used').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})
