import { expect } from 'bun:test'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { readThread } from '../support/threads.ts'
import { field, openTicket, openWorkspace, textIn } from '../support/ticket-page.ts'
import { ORIGIN, openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

for (const writesMarkdown of [false, true]) {
  const name = writesMarkdown ? 'the plain field' : 'the editor'
  browserTest(
    `Enter sends in a chat when the agent has chosen so, and Shift+Enter is a line, in ${name}`,
    async () => {
      const { ben, ticket } = await openWorkspace(bellhop)
      const widget = await openWidget(bellhop, ben.orgId)
      const visitor = await widget.visit({ page: { url: ORIGIN, title: 'Shop' } })
      const { id } = (await visitor.write('Is this in stock?')).json.conversation
      const texts = async (of = id) =>
        (await readThread(ben, of)).timeline
          .flatMap((entry) => ('text' in entry ? [entry.text] : []))
          .slice(1)

      // Off at first.
      const page = await openTicket(bellhop, ben, id, { writesMarkdown })
      await field(page).focus()
      await page.keyboard.type('Let me look')
      await page.keyboard.press('Enter')
      await eventually(async () => (await textIn(page)).startsWith('Let me look\n'))
      await page.keyboard.press('Control+a')
      await page.keyboard.press('Backspace')

      const account = await openPage({ url: bellhop.url, agent: ben })
      await account.goto('/settings/account')
      await account.getByText('Enter sends in chats').click()
      await eventually(async () => {
        const { json } = await ben.call<{ agent: { sendsByEnter: boolean } }>('GET', '/console/session')
        return json.agent.sendsByEnter
      })
      await page.reload()
      await field(page).focus()
      await page.keyboard.type('Yes, it is.')
      await page.keyboard.press('Shift+Enter')
      await page.keyboard.type('Two of them.')
      await page.keyboard.press('Enter')
      // The next letters are the next message, and no shortcuts.
      await page.keyboard.type('e j')
      expect(await textIn(page)).toBe('e j')
      await eventually(async () => (await texts()).length === 1)
      await page.keyboard.press('Enter')
      await eventually(async () => (await texts()).length === 2)
      expect(await texts()).toEqual(['Yes, it is.\nTwo of them.', 'e j'])
      // Nothing is sent without a text.
      await page.keyboard.press('Enter')
      expect(await textIn(page)).toBe('')
      expect((await readThread(ben, id)).ticket.status).toBe('open')
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.getByRole('dialog').getByText('Enter', { exact: true }).first().waitFor()
      await page.keyboard.press('Escape')

      // A note and an email are texts of several paragraphs.
      await page.keyboard.press('n')
      await page.keyboard.type('Ask')
      await page.keyboard.press('Enter')
      await page.keyboard.type('Mei')
      expect(await textIn(page)).toMatch(/^Ask\n+Mei$/)
      await page.goto(`/inbox/open/${ticket.id}`)
      await field(page).focus()
      await page.keyboard.type('Hello')
      await page.keyboard.press('Enter')
      await page.keyboard.type('Ana')
      expect(await textIn(page)).toMatch(/^Hello\n+Ana$/)
      expect(await texts(ticket.id)).toEqual([])
    },
  )
}
