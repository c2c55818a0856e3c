import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { readDraft, readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace, textIn, thread } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const FORMATTED = `Hi **Ana**,

_two_ steps in [our guide](https://a.test/guide):

1. Open \`Billing\`
2. Choose
   - a card

> My invoice is missing.

\`\`\`
<b>code</b>
\`\`\``
const bellhop = await sharedBellhop()

/** A ticket of an agent who writes Markdown, with the toolbar, which has the keys and comes after it. */
async function openToolbar(more?: Record<string, unknown>) {
  const workspace = await openWorkspace(bellhop, more)
  const page = await openTicket(bellhop, workspace.ben, workspace.ticket.id, { writesMarkdown: true })
  await page.locator('.format-toolbar').waitFor({ state: 'attached' })
  return { ...workspace, page }
}

async function select(page: Page, text: string): Promise<void> {
  await field(page).evaluate((element, part) => {
    if (!(element instanceof HTMLTextAreaElement)) return
    const start = element.value.indexOf(part)
    element.focus()
    element.setSelectionRange(start, start + part.length)
  }, text)
}

browserTest('keys make text bold and italic, and the browser undoes each step', async () => {
  const { page } = await openToolbar()
  await page.keyboard.press('r')
  await page.keyboard.type('Your invoice is ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('attached')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('.')
  expect(await textIn(page)).toBe('Your invoice is **attached**.')

  await select(page, 'invoice')
  await page.keyboard.press('Control+i')
  expect(await textIn(page)).toBe('Your _invoice_ is **attached**.')
  await page.keyboard.press('Control+z')
  expect(await textIn(page)).toBe('Your invoice is **attached**.')
  await page.keyboard.press('Control+Shift+z')
  expect(await textIn(page)).toBe('Your _invoice_ is **attached**.')
  await select(page, 'invoice')
  await page.keyboard.press('Control+i')
  expect(await textIn(page)).toBe('Your invoice is **attached**.')
})

browserTest('every button formats the selection and keeps the focus in the field', async () => {
  const { ben, ticket, page } = await openToolbar()
  for (const [name, formatted] of [
    ['Bold', '**one**\n**two**'],
    ['Italic', '_one_\n_two_'],
    ['Bulleted list', '- one\n- two'],
    ['Numbered list', '1. one\n2. two'],
    ['Quote', '> one\n> two'],
    ['Code', '```\none\ntwo\n```'],
  ] as const) {
    await field(page).fill('one\ntwo')
    await select(page, 'one\ntwo')
    const button = page.getByRole('button', { name, exact: true })
    await button.click()
    expect(await textIn(page)).toBe(formatted)
    await page.locator('.composer-field:focus').waitFor()
    await button.click()
    expect(await textIn(page)).toBe('one\ntwo')
  }
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === 'one\ntwo')
})

browserTest('Ctrl+K asks for the address of a link, and changes or removes it again', async () => {
  const { page } = await openToolbar()
  await field(page).fill('See our guide.')
  await select(page, 'our guide')
  await page.keyboard.press('Control+k')
  const form = page.getByRole('dialog', { name: 'Link' })
  expect(await form.getByLabel('Text').inputValue()).toBe('our guide')
  await page.keyboard.type('javascript:alert(1)')
  await page.keyboard.press('Enter')
  await form.getByText('Enter a web or email address.').waitFor()
  await form.getByLabel('Address').fill('a.test/guide')
  await page.keyboard.press('Enter')
  await form.waitFor({ state: 'detached' })
  expect(await textIn(page)).toBe('See [our guide](https://a.test/guide).')
  await page.keyboard.type(' Thanks')
  expect(await textIn(page)).toBe('See [our guide](https://a.test/guide) Thanks.')

  await select(page, 'guide')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  expect(await form.getByLabel('Address').inputValue()).toBe('https://a.test/guide')
  await form.getByLabel('Address').fill('https://a.test/faq')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await textIn(page)).toBe('See [our guide](https://a.test/faq) Thanks.')
  await select(page, 'guide')
  await page.keyboard.press('Control+k')
  await form.getByRole('button', { name: 'Remove link' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await textIn(page)).toBe('See our guide Thanks.')
  await page.keyboard.press('Control+z')
  expect(await textIn(page)).toBe('See [our guide](https://a.test/faq) Thanks.')

  await page.keyboard.press('Control+k')
  await form.getByLabel('Address').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.locator('.composer-field:focus').waitFor()
  // The command menu is one more press away, or after Escape.
  const menu = page.getByRole('dialog', { name: 'Command menu' })
  await page.keyboard.press('Control+k')
  await form.getByLabel('Address').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+k')
  await menu.getByRole('combobox').and(page.locator(':focus')).waitFor()
  expect(await form.count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.locator('.composer-field:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await menu.waitFor()
})

browserTest('Enter continues a list, and a pasted address makes a link of the selection', async () => {
  const { page } = await openToolbar()
  await field(page).focus()
  await page.keyboard.type('Please:')
  await page.keyboard.press('Enter')
  await page.keyboard.type('1. open')
  await page.keyboard.press('Enter')
  await page.keyboard.type('click')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Ben')
  expect(await textIn(page)).toBe('Please:\n1. open\n2. click\nBen')

  await page.evaluate(() => navigator.clipboard.writeText('https://a.test/guide'))
  await select(page, 'click')
  await page.keyboard.press('Control+v')
  expect(await textIn(page)).toBe('Please:\n1. open\n2. [click](https://a.test/guide)\nBen')
  await page.keyboard.press('Control+z')
  expect(await textIn(page)).toBe('Please:\n1. open\n2. click\nBen')
})

browserTest('a letter that an input method is composing ends no list', async () => {
  const { page } = await openToolbar()
  await field(page).fill('- ')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.imeSetComposition', { text: 'こん', selectionStart: 2, selectionEnd: 2 })
  await devtools.send('Input.dispatchKeyEvent', {
    type: 'rawKeyDown',
    key: 'Enter',
    windowsVirtualKeyCode: 229,
  })
  await devtools.send('Input.insertText', { text: 'こんにちは' })
  expect(await textIn(page)).toBe('- こんにちは')
})

browserTest('an inserted saved reply can be undone', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const body = { name: 'Thanks', text: 'Thank you, **{{customer.name}}**!' }
  await ben.call('POST', '/console/saved-replies', { body })
  const page = await openTicket(bellhop, ben, ticket.id, { writesMarkdown: true })
  await field(page).focus()
  await page.keyboard.type('Hello. ')
  await page.getByRole('button', { name: 'Saved replies' }).click()
  await page.getByRole('option', { name: /Thanks/ }).click()
  expect(await textIn(page)).toBe('Hello. Thank you, **Ana Pires**!')
  await page.keyboard.press('Control+z')
  expect(await textIn(page)).toBe('Hello. ')
})

browserTest('a sent reply is formatted; the API and the draft keep what was typed', async () => {
  const { ben, client, ticket, page } = await openToolbar()
  await field(page).fill(FORMATTED)
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) === FORMATTED)
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Send now' }).click()
  const sent = page.locator('[data-who=agent] .formatted-text')
  await sent.waitFor()
  const shown = await sent.innerHTML()
  expect(shown).toContain('<strong>Ana</strong>')
  expect(shown).toContain('<li><p dir="auto">Open <code>Billing</code></p></li>')
  expect(shown).toContain('<ul dir="auto"><li><p dir="auto">a card</p></li></ul>')
  expect(shown).toContain('<blockquote dir="auto"><p dir="auto">My invoice is missing.</p></blockquote>')
  expect(shown).toContain('<pre><code>&lt;b&gt;code&lt;/b&gt;</code></pre>')
  expect(shown).toMatch(/<a [^>]*rel="noopener noreferrer nofollow"[^>]*>our guide<\/a>/)
  const reply = await eventually(async () => {
    const { json } = await client.call<{ messages: { role: string }[] }>('GET', `/tickets/${ticket.id}`)
    return json.messages.find(({ role }) => role === 'agent')
  })
  expect(reply).toMatchObject({ text: FORMATTED, format: 'markdown' })
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})

browserTest('a note is formatted; what the customer and the API wrote stays as it is', async () => {
  const { ben, client, ticket } = await openWorkspace(bellhop, { message: 'The **bold** <b>one</b>' })
  await client.call('POST', `/tickets/${ticket.id}/messages`, { body: { text: '_Posted_\n- by a program' } })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.keyboard.press('n')
  await page.keyboard.type('Ask **Dana**')
  await page.keyboard.press('Control+Enter')
  await page.locator('[data-who=note] strong').waitFor()
  expect(await thread(page)).toEqual([
    'customer: The **bold** <b>one</b>',
    'agent: _Posted_\n- by a program',
    'note: Ask Dana',
  ])
  // The page shows it before the server has it.
  const note = await eventually(async () =>
    (await readThread(ben, ticket.id)).timeline.find(({ kind }) => kind === 'note'),
  )
  expect(note).toMatchObject({ text: 'Ask **Dana**', format: 'markdown' })
})

browserTest('one Tab stop leads to the toolbar, and arrow keys along it', async () => {
  const { page } = await openToolbar()
  await field(page).fill('bold')
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await page.getByRole('button', { name: 'Attach files' }).focus()
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Bold')
  for (const name of ['Italic', 'Link', 'Bulleted list']) {
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe(name)
  }
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowLeft')
  expect(await focused()).toBe('Code')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Send')
  await page.keyboard.press('Shift+Tab')
  expect(await focused()).toBe('Code')
})
