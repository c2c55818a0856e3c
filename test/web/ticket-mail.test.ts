import { afterAll, expect } from 'bun:test'
import type { FrameLocator, Page } from 'playwright-core'
import { updateMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { createId } from '../../server/ids.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { replyPath, sendNow, UNDO_MS } from '../support/threads.ts'
import { openTicket, openWorkspace, textIn, type Workspace } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const images = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(PIXEL, { headers: { 'content-type': 'image/png' } }),
})
const bellhop = await sharedBellhop()
afterAll(() => images.stop(true))

interface GivenMail {
  from?: string
  headers?: string[]
  html?: string
  text?: string
}

/** A ticket of an email, to which further mails can be added. */
async function openMailbox(workspace: Workspace) {
  const id = crypto.randomUUID()
  const ledger = await openLedger(bellhop, workspace.client.orgId, `${id}@acme.example`)
  const change = { authservId: 'mx.acme.example' }
  await updateMailbox(bellhop.deps, workspace.client.orgId, { id: ledger.mailboxId, change })
  let count = 0
  let ticketId = ''

  function headers(from = 'Ana Pires <ana@customer.test>'): string[] {
    count += 1
    return [
      `From: ${from}`,
      `To: Support <${id}@acme.example>`,
      'Subject: Missing invoice',
      `Message-ID: <${id}.${count}@customer.test>`,
      ...(count > 1 ? [`In-Reply-To: <${id}.1@customer.test>`] : []),
    ]
  }

  async function receiveRaw(raw: string): Promise<string> {
    const mail = await ledger.fetched(raw)
    expect(mail.ticketId).toBeTruthy()
    ticketId = mail.ticketId ?? ''
    return mail.messageId ?? ''
  }

  return {
    ticketId: () => ticketId,
    headers,
    receiveRaw,
    fetchedRaw: ledger.fetched,
    receive({ from, headers: more = [], html, text }: GivenMail) {
      const lines = [
        ...headers(from),
        `Content-Type: text/${html === undefined ? 'plain' : 'html'}; charset=utf-8`,
        ...more,
        '',
        html ?? text ?? '',
      ]
      return receiveRaw(lines.join('\r\n'))
    },
  }
}

const FORMATTED = `<h2 style="color: green">Order 1001</h2><p>Hello <b>there</b></p>
  <img src="http://127.0.0.1:${images.port}/logo.png" width="300" height="200" alt="Logo">
  <p>On 3 March 2026, Ben wrote:</p><blockquote type="cite">Earlier words</blockquote>`

function message(page: Page, at = 0) {
  return page.locator('.message-group').nth(at)
}

function frame(page: Page): FrameLocator {
  return page.frameLocator('.mail-frame iframe')
}

browserTest(
  'a formatted mail is a frame as high as its content; images and the quote come when asked',
  async () => {
    const workspace = await openWorkspace(bellhop)
    const mailbox = await openMailbox(workspace)
    await mailbox.receive({ html: FORMATTED })
    const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    await frame(page).getByRole('heading', { name: 'Order 1001' }).waitFor()
    const heights = () =>
      page
        .locator('.mail-frame iframe')
        .evaluate((element: HTMLIFrameElement) => [
          element.clientHeight,
          element.contentDocument?.body.scrollHeight ?? 0,
        ])
    const high = await eventually(async () => {
      const [shown = 0, content = 0] = await heights()
      return shown > 60 && Math.abs(shown - content) <= 2 ? shown : undefined
    })
    expect(await frame(page).locator('body').textContent()).not.toContain('Earlier words')
    expect(await frame(page).locator('img').isVisible()).toBe(false)

    await page.getByRole('button', { name: 'Show images' }).click()
    await frame(page).locator('img').and(frame(page).locator(':visible')).waitFor()
    await eventually(async () => ((await heights())[0] ?? 0) > high + 150)
    expect(requested.filter((url) => !url.startsWith(bellhop.url))).toEqual([])
    await page.getByRole('button', { name: 'Show quoted text' }).click()
    await frame(page).getByText('Earlier words').waitFor()

    // Back leads to the page before, not to an earlier state of the frame.
    await page.reload()
    await frame(page).locator('img:visible').waitFor()
    expect(await page.getByRole('button', { name: 'Show images' }).count()).toBe(0)
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  },
)

browserTest('the field says to whom the reply goes when someone else wrote last', async () => {
  const workspace = await openWorkspace(bellhop)
  const mailbox = await openMailbox(workspace)
  await mailbox.receive({ text: 'Where is it?', headers: ['Cc: Bob Reed <bob@partner.test>'] })
  const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
  await page.getByRole('textbox', { name: 'Reply to Ana Pires', exact: true }).waitFor()
  await mailbox.receive({ text: 'It is here.', from: 'Bob Reed <bob@partner.test>' })
  await page.getByRole('textbox', { name: 'Reply to Bob Reed', exact: true }).waitFor()
})

browserTest('one click shows the plain text, and one downloads the original', async () => {
  const workspace = await openWorkspace(bellhop)
  const mailbox = await openMailbox(workspace)
  await mailbox.receive({ html: FORMATTED })
  const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
  await frame(page).getByText('Order 1001').waitFor()
  await page.getByRole('button', { name: 'Plain text' }).click()
  await message(page).locator('.message-text').getByText('Order 1001').waitFor()
  expect(await page.locator('iframe').count()).toBe(0)
  await page.getByRole('button', { name: 'Show quoted text' }).click()
  await message(page).getByText('Earlier words').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download original' }).click(),
  ])
  expect(await Bun.file(await download.path()).text()).toContain('Subject: Missing invoice')
})

browserTest('keys still work after a click into a mail, and menus close', async () => {
  const workspace = await openWorkspace(bellhop)
  const mailbox = await openMailbox(workspace)
  await mailbox.receive({ html: FORMATTED })
  const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
  await page.locator('.mail-frame iframe[data-loaded]').waitFor()
  await frame(page).getByText('Order 1001').click()
  await page.keyboard.press('r')
  await page.keyboard.type('Hi')
  expect(await textIn(page)).toBe('Hi')
  await page.getByRole('button', { name: 'Actions for this ticket' }).click()
  await page.getByRole('menuitem', { name: 'Copy link' }).waitFor()
  await frame(page).getByText('Order 1001').click({ force: true })
  await page.getByRole('menuitem', { name: 'Copy link' }).waitFor({ state: 'detached' })
  await frame(page).getByText('Order 1001').click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})

browserTest('only frames near the visible part of a long thread are loaded', async () => {
  const workspace = await openWorkspace(bellhop)
  const mailbox = await openMailbox(workspace)
  const long = '<p>Line</p>'.repeat(40)
  for (let turn = 0; turn < 5; turn += 1) {
    const from = turn % 2 ? 'Cy <cy@customer.test>' : undefined
    const headers = ['Cc: Cy <cy@customer.test>']
    await mailbox.receive({ html: `<h2>Mail ${turn}</h2>${long}`, headers, ...(from && { from }) })
  }
  const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
  const loaded: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/frame?')) loaded.push(response.url())
  })
  await page.reload()
  await page.locator('.mail-frame').nth(4).waitFor()
  await page.locator('.thread-scroll').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight))
  await frame(page).last().getByText('Mail 4').waitFor()
  expect(loaded.length).toBeLessThan(5)
})

browserTest('the people on an email are shown in one line, and in full after one click', async () => {
  const workspace = await openWorkspace(bellhop)
  const mailbox = await openMailbox(workspace)
  await mailbox.receive({ text: 'Hello', headers: ['Cc: Cy Ortega <cy@customer.test>'] })
  await mailbox.receive({
    text: 'I agree',
    from: 'Cy Ortega <cy@customer.test>',
    headers: ['Authentication-Results: mx.acme.example; spf=fail; dkim=none; dmarc=fail'],
  })
  await mailbox.receive({
    text: 'I am away',
    from: 'Cy Ortega <cy@customer.test>',
    headers: ['Auto-Submitted: auto-replied'],
  })
  const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
  const line = page.getByRole('button', { name: 'to Support, cc Cy Ortega' })
  await line.click()
  expect(await line.getAttribute('aria-expanded')).toBe('true')
  await message(page).getByText('cy@customer.test').waitFor()
  await message(page, 1).getByText('Participant').waitFor()
  expect(await message(page, 1).getByText('Automatic').count()).toBe(0)
  await message(page, 2).getByText('Automatic').waitFor()
  await message(page, 1).getByText("Not verified: the sender's domain did not sign this email.").waitFor()
  expect(await page.getByText('Not verified').count()).toBe(1)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  await message(page, 1).getByRole('button', { name: 'Make Cy Ortega the customer' }).click()
  await page.getByText('made Cy Ortega the customer instead of Ana Pires').waitFor()
  await page.locator('.customer-panel h2', { hasText: 'Cy Ortega' }).waitFor()
  await message(page, 0).getByText('Participant').waitFor()
  expect(await message(page, 1).getByText('Participant').count()).toBe(0)
  await page.keyboard.press('Control+z')
  await page.locator('.customer-panel h2', { hasText: 'Ana Pires' }).waitFor()
})

browserTest('the sender of a forwarded mail becomes the customer with one click', async () => {
  const workspace = await openWorkspace(bellhop)
  const mailbox = await openMailbox(workspace)
  await mailbox.receive({
    text: 'Please help\r\n\r\n---------- Forwarded message ---------\r\nFrom: Zoe Zebra <zoe@stripes.test>\r\nSubject: Help\r\n\r\nWhere is it?',
  })
  const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
  await page.getByRole('button', { name: 'Make Zoe Zebra the customer' }).click()
  await page.locator('.customer-panel h2', { hasText: 'Zoe Zebra' }).waitFor()
  await page.getByText('zoe@stripes.test').first().waitFor()
})

browserTest(
  'each line of an Arabic or Hebrew mail begins at its own side, in the thread and in the answer',
  async () => {
    const workspace = await openWorkspace(bellhop)
    const mailbox = await openMailbox(workspace)
    await mailbox.receive({ text: 'שלום, איפה ההזמנה שלי?\r\nOrder 1001\r\nأين طلبي؟' })
    const messageId = createId('msg', workspace.ben.now())
    const sendAt = new Date(workspace.ben.now() + UNDO_MS).toISOString()
    await workspace.ben.call('PUT', replyPath(mailbox.ticketId(), messageId), {
      body: { text: 'ההזמנה בדרך\n\nIt is on its way', format: 'markdown', sendAt },
    })
    await sendNow(workspace.ben, mailbox.ticketId(), messageId)
    const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
    await page.getByText('It is on its way', { exact: true }).waitFor()
    const sides = await page.locator('.message-text').evaluateAll((texts) =>
      texts.flatMap((text) => {
        const box = (text.querySelector('.message-text-plain') ?? text).getBoundingClientRect()
        const range = document.createRange()
        const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
        const lines: string[] = []
        for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
          // Each line of the text, without its line break.
          for (const { 0: line, index } of (node.nodeValue ?? '').matchAll(/.+/g)) {
            range.setStart(node, index)
            range.setEnd(node, index + line.length)
            const { left, right } = range.getBoundingClientRect()
            lines.push(left - box.left < box.right - right ? 'left' : 'right')
          }
        }
        return lines
      }),
    )
    expect(sides).toEqual(['right', 'left', 'right', 'right', 'left'])
  },
)

browserTest(
  'a mail without a background follows the dark theme, and another one is on white paper',
  async () => {
    const workspace = await openWorkspace(bellhop)
    const mailbox = await openMailbox(workspace)
    await mailbox.receive({
      html: '<style>.x{color:#222}</style><p style="color:#000">Black</p><p class="x">Gray</p><font color="navy">Navy</font><p><b>Bold</b></p>',
    })
    await mailbox.receive({
      html: '<table bgcolor="#eeeeee"><tr><td style="color:#000">On paper</td><td>2</td></tr></table>',
    })
    const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
    await page.emulateMedia({ colorScheme: 'dark' })
    const frames = page.locator('.mail-frame iframe[data-loaded]')
    await eventually(async () => (await frames.count()) === 2)
    expect(await frames.evaluateAll((all) => all.map((one) => one.hasAttribute('data-inset')))).toEqual([
      false,
      true,
    ])
    const lightness = (at: number, text: string) =>
      frames
        .nth(at)
        .contentFrame()
        .getByText(text)
        .evaluate((element) => {
          const context = document.createElement('canvas').getContext('2d')
          if (!context) throw new Error('There is no canvas.')
          context.fillStyle = getComputedStyle(element).color
          context.fillRect(0, 0, 1, 1)
          return Math.max(...context.getImageData(0, 0, 1, 1).data.slice(0, 3))
        })
    for (const text of ['Black', 'Gray', 'Navy', 'Bold'])
      expect(await lightness(0, text)).toBeGreaterThan(150)
    expect(await lightness(1, 'On paper')).toBeLessThan(40)
    await page.emulateMedia({ colorScheme: 'light' })
    await eventually(async () => (await lightness(0, 'Black')) < 40)
  },
)

browserTest(
  'a mail without text says so, and a file that only some programs open says what it is',
  async () => {
    const workspace = await openWorkspace(bellhop)
    const mailbox = await openMailbox(workspace)
    await mailbox.receive({ text: '' })
    const winmail = ['Content-Type: application/ms-tnef; name="winmail.dat"', '', 'x']
    await mailbox.receiveRaw([...mailbox.headers(), ...winmail].join('\r\n'))
    const page = await openTicket(bellhop, workspace.ben, mailbox.ticketId())
    await message(page).getByText('This email has no text.').waitFor()
    await page.locator('.message-text', { hasText: 'Outlook’s own format' }).waitFor()
    await page.getByText('A format that only Outlook opens.').waitFor()
  },
)
