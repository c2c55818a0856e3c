import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests } from '../support/browser.ts'
import { draftBecomes, readDraft } from '../support/threads.ts'
import {
  compose,
  editor,
  field,
  openTicket,
  openTicketPage,
  openWorkspace,
  textIn,
  type Workspace,
} from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

/** The Markdown that the API and the mails would get. */
const savedAs = ({ ben, ticket }: Workspace, text: string) => draftBecomes(ben, ticket.id, { text })

const html = (page: Page) =>
  editor(page).evaluate((element) => element.innerHTML.replaceAll(/ dir="auto"| class="[^"]*"/g, ''))

browserTest(
  'Markdown becomes formatting as it is typed, and Backspace right after turns it back',
  async () => {
    const workspace = await openTicketPage(bellhop)
    const { page } = workspace
    await page.keyboard.press('r')
    await page.keyboard.type('Hi **Ana**, the _new_ `file_name` is in [our guide](a.test/guide).')
    expect(await textIn(page)).toBe('Hi Ana, the new file_name is in our guide.')
    await page.keyboard.press('Enter')
    await page.keyboard.type('- one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Bye')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('Ben _x_')
    await page.keyboard.press('Backspace')
    await savedAs(
      workspace,
      'Hi **Ana**, the _new_ `file_name` is in [our guide](https://a.test/guide).\n- one\n- two\n\nBye\nBen \\_x\\_',
    )
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  },
)

browserTest('blank lines that are typed are sent, and others are not made', async () => {
  const workspace = await openTicketPage(bellhop)
  const { page } = workspace
  await page.keyboard.press('r')
  await page.keyboard.type('www.x.com')
  for (const key of ['Shift+Enter', 'Shift+Enter']) await page.keyboard.press(key)
  await page.keyboard.type('after two breaks')
  for (const key of ['Enter', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.type('+ plus')
  for (const key of ['Shift+Enter', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.type('- one')
  for (const key of ['Enter', 'Enter', 'Enter']) await page.keyboard.press(key)
  await page.keyboard.type('end')
  for (const key of ['Enter', 'Enter']) await page.keyboard.press(key)
  const written = 'www.x.com\n\nafter two breaks\n\n\u00a0\n\n+ plus\n- one\n\n\u00a0\n\nend'
  await savedAs(workspace, written)
  const shown = await html(page)
  const sent = `<p>www.x.com</p><p>after two breaks</p>EMPTY<p>+ plus</p><ul><li><p>one</p></li></ul>EMPTY<p>end</p>`
  const empty = /<p><br[^>]*><\/p>/g
  expect(shown.replaceAll(empty, 'EMPTY')).toBe(`${sent}EMPTYEMPTY`)
  await page.reload()
  await eventually(async () => (await html(page)).replaceAll(empty, 'EMPTY') === sent)
  await page.keyboard.press('r')
  await page.keyboard.press('Control+Enter')
  const card = page.getByRole('article', { name: 'Queued reply' })
  await card.getByText('after two breaks').waitFor()
  const paragraphs = card.locator('.formatted-text > p')
  expect(await paragraphs.allTextContents()).toEqual([
    'www.x.com',
    'after two breaks',
    '\u00a0',
    '+ plus',
    '\u00a0',
    'end',
  ])
  const heights = await paragraphs.evaluateAll((all) => all.map((one) => one.clientHeight))
  expect(Math.min(...heights)).toBeGreaterThan(10)
})

browserTest('keys and buttons format the selection, say so, and are undone', async () => {
  const workspace = await openTicketPage(bellhop)
  const { page } = workspace
  await page.keyboard.press('r')
  for (const [name, keys, markdown] of [
    ['Bold', 'Control+b', '**word**'],
    ['Italic', 'Control+i', '_word_'],
    ['Code', 'Control+e', '`word`'],
    ['Numbered list', 'Control+Shift+7', '1. word'],
    ['Bulleted list', 'Control+Shift+8', '- word'],
    ['Quote', 'Control+Shift+9', '> word'],
  ] as const) {
    await page.keyboard.press('Control+a')
    await page.keyboard.type('word')
    await page.keyboard.press('Control+a')
    await page.keyboard.press(keys)
    await savedAs(workspace, markdown)
    const button = page.getByRole('button', { name, exact: true })
    expect(await button.getAttribute('aria-pressed'), name).toBe('true')
    await button.click()
    await savedAs(workspace, 'word')
    await page.locator('.composer-field:focus').waitFor()
    await page.keyboard.press('Control+z')
    await savedAs(workspace, markdown)
    await page.keyboard.press('Control+z')
  }
})

browserTest('Ctrl+K makes a link of the selection', async () => {
  const workspace = await openTicketPage(bellhop)
  const { page } = workspace
  await page.keyboard.press('r')
  await page.keyboard.type('our guide')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+k')
  const form = page.getByRole('dialog', { name: 'Link' })
  expect(await form.getByLabel('Text').inputValue()).toBe('our guide')
  await form.getByLabel('Address').fill('a.test/guide')
  await page.keyboard.press('Enter')
  await savedAs(workspace, '[our guide](https://a.test/guide)')
  await page.keyboard.type(' here')
  await savedAs(workspace, '[our guide](https://a.test/guide) here')
})

browserTest('the editor takes over in the middle of a word, with the cursor where it was', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const page = await openTicket(bellhop, ben, ticket.id)
  const letGo = Promise.withResolvers<void>()
  await interceptRequests(page, /\/assets\/rich-field-.*\.js$/, async (route) => {
    await letGo.promise
    await route.continue()
  })
  await page.goto(`/inbox/open/${ticket.id}`)
  await field(page).waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('See **our** gde, Ana. ')
  for (let at = 0; at < 'de, Ana. '.length; at++) await page.keyboard.press('ArrowLeft')
  letGo.resolve()
  await editor(page).waitFor()
  await page.keyboard.type('ui')
  expect(await html(page)).toBe('<p>See <strong>our</strong> guide, Ana. </p>')
  await page.keyboard.press('End')
  await page.keyboard.type('Bye')
  expect(await textIn(page)).toBe('See our guide, Ana. Bye')
})

browserTest('if the editor cannot be loaded, the reply is written as Markdown', async () => {
  const { ben, ticket, ...rest } = await openWorkspace(bellhop)
  const page = await openTicket(bellhop, ben, ticket.id, { writesMarkdown: true })
  await page.evaluate(() => localStorage.removeItem('bellhop.writesMarkdown'))
  await interceptRequests(page, /\/assets\/rich-field-.*\.js$/, (route) => route.abort())
  await field(page).fill('Ask **Dana**')
  await savedAs({ ben, ticket, ...rest }, 'Ask **Dana**')
})

browserTest('what no one edits stays as it was written', async () => {
  const workspace = await openWorkspace(bellhop)
  const { ben, ticket } = workspace
  const text = '* one\n* __two__\n\n\n\nHello  *you*  \nthere\n1) a'
  const page = await openTicket(bellhop, ben, ticket.id, { writesMarkdown: true })
  await field(page).fill(text)
  await savedAs(workspace, text)
  await page.addInitScript(() => localStorage.removeItem('bellhop.writesMarkdown'))
  await page.reload()
  await editor(page).getByText('there').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('!')
  await eventually(async () => (await readDraft(ben, ticket.id, 'reply')) !== text)
  expect(await readDraft(ben, ticket.id, 'reply')).toStartWith('* one\n* __two__\n\n\n\nHello  *you*')
})

for (const [language, steps, word] of [
  ['Japanese', ['k', 'こ', 'こn', 'こん', '今'], '今'],
  ['Korean', ['ㅎ', '하', '한'], '한'],
  ['Android', ['i', 'in', 'invo', 'invoice'], 'invoice'],
] as const) {
  browserTest(`${language} is composed within a list and formatted text`, async () => {
    const workspace = await openTicketPage(bellhop)
    const { page } = workspace
    await page.keyboard.press('r')
    await page.keyboard.type('- **a** ')
    await compose(page, { steps, word })
    await savedAs(workspace, `- **a** ${word}`)
    await page.keyboard.press('Control+b')
    await compose(page, { steps, word })
    await page.keyboard.press('Enter')
    await page.keyboard.type('b')
    expect(await editor(page).locator('li').count()).toBe(2)
    expect(await editor(page).locator('li').first().textContent()).toBe(`a ${word}${word}`)
  })
}
