import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, faultsOf, interceptRequests } from '../support/browser.ts'
import { paintedPng } from '../support/images.ts'
import { showsForMoment } from '../support/momentary-text.ts'
import { readThread, textsOf } from '../support/threads.ts'
import {
  field,
  openTicket,
  openTicketPage,
  openWorkspace,
  textIn,
  type Workspace,
} from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { download } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const MB = 1024 * 1024
const SCREENSHOT = paintedPng(400, 300)
const INVOICE = { name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 Invoice') }

const bellhop = await startBellhop({
  settings: { BELLHOP_ATTACHMENT_LIMIT: '1MB', BELLHOP_ATTACHMENTS_PER_MESSAGE: '3' },
})
afterAll(() => bellhop.stop())

const picker = (page: Page) => page.getByLabel('Files to attach')
const chips = (page: Page) => page.getByRole('list', { name: 'Attachments' })
const chip = (page: Page, name: string) => chips(page).getByRole('listitem').filter({ hasText: name })
/** Names of the files in the draft that the server has. */
const savedFiles = async ({ ben, ticket }: Workspace, kind = 'reply') => {
  const { drafts } = await readThread(ben, ticket.id)
  const draft = drafts.find((one) => one.kind === kind)
  return (draft?.attachments ?? []).map(({ name }) => name).join()
}

browserTest(
  'files are picked, dropped and pasted while a reply is typed, and the customer gets them',
  async () => {
    const { ben, client, ticket, page } = await openTicketPage(bellhop)
    await page.keyboard.press('r')
    await page.keyboard.type('See the ')
    await choose(page, () => page.keyboard.press('Control+u'), [INVOICE])
    await chip(page, 'invoice.pdf').getByText('16 B').waitFor()
    // The page takes half a second without another one for the end of it.
    await eventually(async () => {
      await give(page, 'dragover', [{ name: 'log.txt', type: 'text/plain', content: 'All lines' }])
      return page.getByText('Drop to attach to your reply').isVisible()
    })
    await give(page, 'drop', [{ name: 'log.txt', type: 'text/plain', content: 'All lines' }])
    await page.getByText('Drop to attach to your reply').waitFor({ state: 'detached' })
    await give(page, 'paste', [{ name: 'image.png', type: 'image/png', content: SCREENSHOT }])
    await page.keyboard.type('files.')
    await chip(page, 'Pasted image').locator('img').waitFor()
    await chip(page, 'Pasted image').getByText('Inline ·').waitFor()
    await chip(page, 'log.txt').getByText('9 B').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Send now' }).click()
    await eventually(async () =>
      (await textsOf(ben, ticket.id)).some((text) =>
        /^See the !\[\]\(Pasted image [^()]+\.png\)files\.$/.test(text),
      ),
    )

    const { json } = await client.call<{ messages: { attachments?: { id: string; name: string }[] }[] }>(
      'GET',
      `/tickets/${ticket.id}`,
    )
    const sent = json.messages.at(-1)?.attachments ?? []
    expect(sent.map(({ name }) => name.replaceAll(/\d/g, '0'))).toEqual([
      'invoice.pdf',
      'log.txt',
      'Pasted image 0000-00-00 at 00.00.00.png',
    ])
    const bytes = await Promise.all(
      sent.map(async ({ id }) => (await download(client, bellhop.url, { id })).bytes()),
    )
    expect(bytes).toEqual([new Uint8Array(INVOICE.buffer), Buffer.from('All lines'), SCREENSHOT])
    // An email shows what was pasted in its text, and so does the thread.
    const { timeline } = await readThread(ben, ticket.id)
    const shown = timeline.find(({ role }) => role === 'agent')?.attachments
    expect(shown?.map(({ isInline }) => isInline)).toEqual([undefined, undefined, true])
    const picture = page.locator('.thread-scroll').getByRole('link', { name: 'View Pasted image' })
    await picture.waitFor()
    expect(await picture.evaluate(({ parentElement }) => parentElement?.textContent)).toBe('See the files.')
  },
)

browserTest(
  'files stay in the draft over a reload and on another device, and come back with Undo',
  async () => {
    const workspace = await openWorkspace(bellhop)
    const { ben, ticket } = workspace
    {
      const page = await openTicket(bellhop, ben, ticket.id)
      await picker(page).setInputFiles([INVOICE])
      await eventually(async () => (await savedFiles(workspace)) === 'invoice.pdf')
      await page.reload()
      await chip(page, 'invoice.pdf').waitFor()
      // Removing it can be undone, and the focus goes on to the field.
      await chip(page, 'invoice.pdf').getByRole('button', { name: 'Remove invoice.pdf' }).click()
      await chips(page).waitFor({ state: 'detached' })
      await page.locator('.composer-field:focus').waitFor()
      // The pointer on its notice stops the time of that.
      await page.getByRole('button', { name: 'Undo' }).hover()
      await eventually(async () => (await savedFiles(workspace)) === '')
      await page.getByRole('button', { name: 'Undo' }).click()
      await eventually(async () => (await savedFiles(workspace)) === 'invoice.pdf')
      await page.close()
    }
    const page = await openTicket(bellhop, ben, ticket.id, { isFirstVisit: true })
    await chip(page, 'invoice.pdf').waitFor()
    // Without any text.
    await field(page).press('Control+Enter')
    const queued = page.getByRole('article', { name: 'Queued reply' })
    await queued.getByRole('link', { name: 'Download invoice.pdf' }).waitFor()
    await queued.getByRole('button', { name: 'Undo' }).click()
    await chip(page, 'invoice.pdf').waitFor()
    expect(await savedFiles(workspace)).toBe('invoice.pdf')
    await field(page).press('Control+Enter')
    await page.getByRole('button', { name: 'Send now' }).click()
    await eventually(async () => {
      const { timeline } = await readThread(ben, ticket.id)
      return timeline.find(({ role }) => role === 'agent')?.attachments?.[0]?.name === 'invoice.pdf'
    })
    await eventually(async () => (await savedFiles(workspace)) === '')
    expect(await chips(page).count()).toBe(0)
  },
)

browserTest('a file that cannot be attached says why, and nothing is sent without it', async () => {
  const workspace = await openWorkspace(bellhop)
  const { ben, ticket } = workspace
  const page = await openTicket(bellhop, ben, ticket.id)
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await field(page).fill('See the video.')
  await picker(page).setInputFiles([
    { name: 'video.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(MB + 1) },
    { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
  ])
  await chip(page, 'video.mp4').getByText('Larger than 1 MB').waitFor()
  await chip(page, 'empty.txt').getByText('The file is empty').waitFor()
  // Another attempt would end the same way.
  expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
  expect(await send.isDisabled()).toBe(true)
  await field(page).press('Control+Enter')
  await page.getByText('Remove “video.mp4” (larger than 1 MB) and “empty.txt” (the file is empty).').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove video.mp4' }).click()
  // The focus goes on to the next file.
  await page.keyboard.press('Enter')
  await chips(page).waitFor({ state: 'detached' })
  expect(await send.isEnabled()).toBe(true)

  const four = [1, 2, 3, 4].map((number) => ({ ...INVOICE, name: `page-${number}.pdf` }))
  await picker(page).setInputFiles(four)
  await page.getByText('A message can have 3 files. 1 file was not added.').waitFor()
  await eventually(async () => (await savedFiles(workspace)) === 'page-1.pdf,page-2.pdf,page-3.pdf')

  // Text with a picture of it is text.
  const before = await textIn(page)
  await give(page, 'paste', [{ name: 'image.png', type: 'image/png', content: SCREENSHOT }], '1 2')
  expect(await textIn(page)).toBe(`${before}1 2`)
  // Dropped beside the ticket, the browser would open the file instead of the page.
  expect(
    await give(page, 'drop', [{ name: 'a.txt', type: 'text/plain', content: 'a' }], '', '.inbox-page'),
  ).toBe(true)
  expect(await chips(page).getByRole('listitem').count()).toBe(3)
})

browserTest('Send during an upload waits for it, also on another ticket, and can be taken back', async () => {
  const workspace = await openWorkspace(bellhop)
  const { ben, client, ticket } = workspace
  const next = await makeTicket(client, { subject: 'Another' })
  const page = await openTicket(bellhop, ben, ticket.id)
  let release = Promise.withResolvers<void>()
  await interceptRequests(page, '**/v1/attachments?**', async (route) => {
    await release.promise
    await route.continue()
  })
  await field(page).fill('It is attached.')
  await picker(page).setInputFiles([INVOICE])
  await page.getByRole('progressbar', { name: 'Uploading invoice.pdf' }).waitFor()
  await field(page).press('Control+Enter')
  await page.getByText('Sends after upload').waitFor()
  expect(await textIn(page)).toBe('It is attached.')
  await page.locator('.composer-waiting').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  release.resolve()
  await eventually(async () => (await savedFiles(workspace)) === 'invoice.pdf')
  expect((await readThread(ben, ticket.id)).waiting).toEqual([])

  release = Promise.withResolvers()
  await picker(page).setInputFiles([{ ...INVOICE, name: 'second.pdf' }])
  await page.getByRole('progressbar', { name: 'Uploading second.pdf' }).waitFor()
  await field(page).press('Control+Enter')
  await page.getByText('Sends after upload').waitFor()
  await page.keyboard.press('k')
  await page.waitForURL(`**/${next.id}`)
  release.resolve()
  await eventually(async () => {
    const [reply] = (await readThread(ben, ticket.id)).waiting
    const names = reply?.attachments?.map(({ name }) => name).join()
    return reply?.text === 'It is attached.' && names === 'invoice.pdf,second.pdf'
  })
})

browserTest('an upload that breaks off can be repeated, and tells what the server says', async () => {
  const workspace = await openWorkspace(bellhop)
  const { ben, ticket } = workspace
  const page = await openTicket(bellhop, ben, ticket.id)
  const faults = faultsOf(page)
  await interceptRequests(page, '**/v1/attachments?**', (route) => route.abort('connectionreset'), {
    times: 1,
  })
  await Promise.all([
    showsForMoment(page, 'Connection lost. Retrying…'),
    picker(page).setInputFiles([INVOICE]),
  ])
  // It retries without being asked.
  await chip(page, 'invoice.pdf').getByText('16 B').waitFor()
  await eventually(async () => (await savedFiles(workspace)) === 'invoice.pdf')

  const full = { status: 507, code: 'disk_full', detail: 'The server’s disk is full.' }
  await interceptRequests(
    page,
    '**/v1/attachments?**',
    (route) => route.fulfill({ status: 507, json: full }),
    {
      times: 1,
    },
  )
  await field(page).fill('Here it is.')
  await picker(page).setInputFiles([{ ...INVOICE, name: 'second.pdf' }])
  await chip(page, 'second.pdf').getByText('The server’s disk is full.').waitFor()
  faults.length = 0
  await page.getByRole('button', { name: 'Retry second.pdf' }).click()
  await eventually(async () => (await savedFiles(workspace)) === 'invoice.pdf,second.pdf')
})

/** Chooses files in the browser's window, which `open` opens. */
async function choose(page: Page, open: () => Promise<void>, files: (typeof INVOICE)[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  // The page must have heard that its window is awaited: a key may be faster.
  await page.evaluate(() => true)
  await open()
  await (await choosing).setFiles(files)
}

interface GivenFile {
  name: string
  type: string
  content: string | Uint8Array
}

/** Drags files over an element, drops, or pastes them. Returns whether the page took them from the browser. */
function give(
  page: Page,
  how: 'dragover' | 'drop' | 'paste',
  files: GivenFile[],
  text = '',
  selector = '.composer-field',
): Promise<boolean> {
  const given = files.map(({ content, ...file }) => ({
    ...file,
    base64: Buffer.from(content).toString('base64'),
  }))
  return page.locator(selector).evaluate(
    (element, { how, given, text }) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        data.items.add(new File([bytes], name, { type }))
      }
      if (text) data.setData('text/plain', text)
      const { left, top } = element.getBoundingClientRect()
      const at = { clientX: left + 1, clientY: top + 1, bubbles: true, cancelable: true }
      const event =
        how === 'paste'
          ? new ClipboardEvent(how, { bubbles: true, cancelable: true, clipboardData: data })
          : new DragEvent(how, { ...at, dataTransfer: data })
      if (how === 'drop') element.dispatchEvent(new DragEvent('dragover', { ...at, dataTransfer: data }))
      element.dispatchEvent(event)
      return event.defaultPrevented
    },
    { how, given, text },
  )
}
