import { expect } from 'bun:test'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { createId } from '../../server/ids.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { signInAgent } from '../support/agents.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { freshPlace } from '../support/engine.ts'
import { reservePort } from '../support/mail/ports.ts'
import { startProgram } from '../support/program.ts'
import { startShop } from '../support/shop.ts'
import { replyPath } from '../support/threads.ts'
import { field, thread } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'
import { messageOf, openPanel, panelOf, sendMessage, textsOf, writeMessage } from '../support/widget-page.ts'

const ROUNDS = 3
const POLL_MS = 50

// The widget's own code runs under 20 kills in test/faults/visitor-kill.test.ts. Here two people look at their pages.
browserTest(
  'while the server is killed again and again, the pages of a visitor and an agent show the same, without a reload',
  async () => {
    const { BELLHOP_DATA } = await freshPlace()
    const place = { BELLHOP_DATA, PORT: String(reservePort()) }
    let server = await startProgram(place)
    const { url } = server
    let key = ''
    const shop = startShop(url, () => key, { '/': {} })
    const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
    const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
    const made = await createWidget(deps, orgId, { name: 'Shop', origins: [shop.origin] })
    key = made.widget.key
    const ben = await signInAgent({ deps, url }, orgId, { name: 'Ben Okafor', role: 'admin' })
    await deps.database.close()
    try {
      const page = await openPage({ url: shop.origin, isFirstVisit: true })
      await page.goto('/')
      await openPanel(page)
      await sendMessage(page, 'Hello')
      const { json } = await ben.call<{ data: { id: string }[] }>('GET', '/v1/tickets')
      const [{ id = '' } = {}] = json.data
      /** Under one id until there is a response, as the inbox does ten seconds after it was written. */
      const answer = async (text: string) => {
        const path = replyPath(id, createId('msg', Date.now()))
        const send = () => ben.call('PUT', path, { body: { text } }).catch(() => undefined)
        for (let sent = await send(); !sent || sent.status > 201; sent = await send())
          await Bun.sleep(POLL_MS)
      }
      const inbox = await openPage({ url, agent: ben, isFirstVisit: true })
      await inbox.goto(`/inbox/open/${id}`)
      await field(inbox).waitFor()
      const loads = { page: 0, inbox: 0 }
      page.on('load', () => (loads.page += 1))
      inbox.on('load', () => (loads.inbox += 1))
      const expected = ['Hello']
      for (let round = 0; round < ROUNDS; round += 1) {
        await writeMessage(page, `Question ${round}`)
        const answering = answer(`Answer ${round}`)
        await Bun.sleep(Math.random() * 2 * POLL_MS)
        await server.end('SIGKILL')
        await writeMessage(page, `While it is away ${round}`)
        server = await startProgram(place)
        for (const one of [page, inbox]) await one.evaluate(() => dispatchEvent(new Event('online')))
        expected.push(`Question ${round}`, `Answer ${round}`, `While it is away ${round}`)
        await answering
        await messageOf(page, `Answer ${round}`).waitFor()
        await eventually(async () => {
          await Bun.sleep(POLL_MS)
          return (await panelOf(page).getByText('Sending…').count()) === 0
        })
      }
      await eventually(async () => {
        await Bun.sleep(POLL_MS)
        return (await thread(inbox)).length === expected.length
      })
      const shown = await textsOf(page)
      expect(shown.toSorted()).toEqual(expected.toSorted())
      const bySide = shown.map((text) => `${text.startsWith('Answer') ? 'agent' : 'customer'}: ${text}`)
      expect(await thread(inbox)).toEqual(bySide)
      expect(loads).toEqual({ page: 0, inbox: 0 })
    } finally {
      await server.end('SIGKILL')
      await shop.stop()
    }
  },
)
