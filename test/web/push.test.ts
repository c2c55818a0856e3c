import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { createView } from '../../server/saved-views/saved-views.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { makeTickets, openList } from '../support/inbox.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { type PushBrowser, startPushService } from '../support/push-service.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()
const service = await startPushService()
afterAll(() => service.stop())

interface Worker {
  registrationId: string
  /** Delivers a push as the browser does when its push service has one. */
  push(payload: object): Promise<void>
  /** Titles of what the browser shows, by tag. */
  shown(): Promise<Record<string, string>>
}

/** Registers the real worker, and talks to it as the browser's push service does. */
async function openWorker(page: Page): Promise<Worker> {
  await page.context().grantPermissions(['notifications'])
  const cdp = await page.context().newCDPSession(page)
  const found = Promise.withResolvers<string>()
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [one] = registrations
    if (one) found.resolve(one.registrationId)
  })
  await cdp.send('ServiceWorker.enable')
  await page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
  const registrationId = await found.promise
  const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'))
  // The browser of the tests has no desktop to show anything on, so the worker writes down what it shows.
  await worker.evaluate(RECORDER)
  const { origin } = new URL(page.url())
  return {
    registrationId,
    async push(payload) {
      const data = JSON.stringify(payload)
      await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    },
    shown: () => worker.evaluate('Object.fromEntries([...shown].map(([tag, { title }]) => [tag, title]))'),
  }
}

const RECORDER = `
  self.shown = new Map();
  ServiceWorkerRegistration.prototype.showNotification = async (title, { tag }) => {
    shown.set(tag, { tag, title, close: () => shown.delete(tag) });
  };
  ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) => shown.has(tag) ? [shown.get(tag)] : [];`

function payloadOf(tag: string, title: string, origin = bellhop.url) {
  const navigate = `${origin}/inbox/open/${tag}`
  return { web_push: 8030, notification: { title, body: 'Parcel\nWhere is it?', tag, navigate } }
}

browserTest('a push is shown by the worker, and a newer one of the same ticket replaces it', async () => {
  const client = await bellhop.organization('Pushed')
  const agent = await signInAgent(bellhop, client.orgId)
  const [ticket] = await makeTickets(client, ['Parcel'])
  const id = ticket?.id ?? ''
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  const worker = await openWorker(page)
  await worker.push(payloadOf(id, 'Ana'))
  await eventually(async () => (await worker.shown())[id] === 'Ana')
  await worker.push(payloadOf(id, 'Eva'))
  await eventually(async () => (await worker.shown())[id] === 'Eva')
  const other = 'tkt_00000000000000000000000000'
  await worker.push({ ...payloadOf(other, 'Zoe'), close: [id] })
  await eventually(async () => (await worker.shown())[other] === 'Zoe')
  expect(await worker.shown()).toEqual({ [other]: 'Zoe' })
})

browserTest('a push about the ticket that a tab with the focus shows is not shown', async () => {
  const client = await bellhop.organization('Pushed')
  const agent = await signInAgent(bellhop, client.orgId)
  const [open, other] = await makeTickets(client, ['Parcel', 'Invoice'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, `/inbox/open/${open?.id}`)
  await page.bringToFront()
  const worker = await openWorker(page)
  await worker.push(payloadOf(open?.id ?? '', 'Ana'))
  await worker.push(payloadOf(other?.id ?? '', 'Eva'))
  await eventually(async () => Object.keys(await worker.shown()).length > 0)
  expect(Object.values(await worker.shown())).toEqual(['Eva'])
})

browserTest('a push about several tickets is shown even where the first of them is open', async () => {
  const client = await bellhop.organization('Pushed')
  const agent = await signInAgent(bellhop, client.orgId)
  const [open] = await makeTickets(client, ['Parcel'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, `/inbox/open/${open?.id}`)
  await page.bringToFront()
  const worker = await openWorker(page)
  const { notification, ...payload } = payloadOf(open?.id ?? '', 'Ben')
  await worker.push({ ...payload, notification: { ...notification, navigate: `${bellhop.url}/inbox/mine` } })
  await eventually(async () => Object.values(await worker.shown()).includes('Ben'))
})

browserTest('a click opens the ticket in the tab that is open, without loading it again', async () => {
  const client = await bellhop.organization('Pushed')
  const agent = await signInAgent(bellhop, client.orgId)
  const [ticket] = await makeTickets(client, ['Parcel'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  const worker = await openWorker(page)
  await page.evaluate('window.isSame = true')
  // What the worker tells the tab after a click: Chromium without a desktop has nothing to click on.
  const tell = `navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { navigate: '${bellhop.url}/inbox/open/${ticket?.id}' } }))`
  await eventually(async () => {
    await page.evaluate(tell)
    return page.url().endsWith(`/${ticket?.id}`)
  })
  expect(await page.evaluate('window.isSame')).toBe(true)
  expect(worker.registrationId).not.toBe('')
})

browserTest(
  'the page of notifications works without a mailbox, by keys, and says what is blocked',
  async () => {
    const client = await bellhop.organization('Pushed')
    const agent = await signInAgent(bellhop, client.orgId)
    const page = await openPage({ ...bellhop, agent })
    await page.goto(`${bellhop.url}/settings/account/notifications`)
    const push = page.getByLabel('Push: I’m mentioned')
    await push.waitFor()
    expect(await page.getByLabel('Email: I’m mentioned').isDisabled()).toBe(true)
    await page.getByText('Emails need a mailbox').waitFor()
    await push.focus()
    await page.keyboard.press('Space')
    const isOff = async () => {
      const { json } = await agent.call<{ ways: { mentioned: { push: boolean } } }>(
        'GET',
        '/console/me/notifications',
      )
      return !json.ways.mentioned.push
    }
    await eventually(isOff)
    await page.getByRole('button', { name: 'For 1 hour' }).click()
    await page.getByText(/Paused until/).waitFor()
    await page.getByRole('button', { name: 'End pause' }).click()
    await page.getByRole('button', { name: 'For 1 hour' }).waitFor()
  },
)

/** The page of notifications in a browser that `prepare` makes another one, before any script of the page runs. */
async function openNotifications(
  prepare: (page: Page) => Promise<unknown>,
): Promise<{ page: Page; agent: SignedInAgent }> {
  const { orgId } = await bellhop.organization('Pushed')
  const agent = await signInAgent(bellhop, orgId)
  const page = await openPage({ ...bellhop, agent })
  await page.addInitScript(askedOnce)
  await prepare(page)
  await page.goto('/settings/account/notifications')
  await page.getByRole('heading', { name: 'This browser' }).waitFor()
  await page.waitForSelector('html[data-connection=online]')
  return { page, agent }
}

/** Chromium without a desktop denies notifications without a question: here the person says yes. */
function askedOnce(): void {
  let permission: NotificationPermission = 'default'
  Object.defineProperty(Notification, 'permission', { configurable: true, get: () => permission })
  Notification.requestPermission = async () => {
    permission = 'granted'
    return permission
  }
}

/** Chromium without a desktop has no push service of its own: this one gives it addresses of the suite's, one after the other. */
function subscribeAt(browsers: Pick<PushBrowser, 'endpoint' | 'keys'>[]): void {
  let current: object | null = null
  Object.assign(PushManager.prototype, {
    getSubscription: async () => current,
    async subscribe() {
      const { endpoint, keys } = browsers.shift() ?? {}
      const unsubscribe = async () => {
        current = null
      }
      current ??= { endpoint, unsubscribe, toJSON: () => ({ endpoint, keys }) }
      return current
    },
  })
}

function newAddress() {
  const { endpoint, keys, received } = service.browser()
  return { received, address: { endpoint, keys } }
}

browserTest(
  'notifications are turned on, and the page says when the push service fails and when it ended the subscription',
  async () => {
    const [first, second] = [newAddress(), newAddress()]
    const { page, agent } = await openNotifications((one) =>
      one.addInitScript(subscribeAt, [first.address, second.address]),
    )
    await page.getByText('This browser shows no notifications.').waitFor()
    await page.getByRole('button', { name: 'Turn on' }).press('Enter')
    await page.getByText('This browser shows your notifications.').waitFor()
    expect(await page.getByText('Other browsers').count()).toBe(0)
    const test = page.getByRole('button', { name: 'Send a test' })
    await test.press('Enter')
    await eventually(async () => (await first.received()).length === 1)
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

    service.respondWith(() => ({ status: 503 }))
    await test.press('Enter')
    await page.getByText("The server can't reach the push service.", { exact: true }).waitFor()
    await page.getByText(/push service 127\.0\.0\.1.*503/).waitFor()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

    service.respondWith(() => ({ status: 410 }))
    await test.press('Enter')
    await page.getByText('The push service ended the subscription of this browser').waitFor()
    service.respondWith(() => ({ status: 201 }))
    await page.getByRole('button', { name: 'Turn on' }).press('Enter')
    await page.getByText('This browser shows your notifications.').waitFor()
    const { json } = await agent.call<{ browsers: unknown[] }>('GET', '/console/me/notifications')
    expect(json.browsers).toMatchObject([{ endpoint: second.address.endpoint, error: '' }])
    await page.getByRole('button', { name: 'Turn off' }).press('Enter')
    await page.getByText('This browser shows no notifications.').waitFor()
  },
)

browserTest('a browser that reaches no push service says so, and is asked again', async () => {
  const { page } = await openNotifications((one) =>
    one.addInitScript(() => {
      PushManager.prototype.subscribe = () => Promise.reject(new DOMException('no service', 'AbortError'))
    }),
  )
  await page.getByRole('button', { name: 'Turn on' }).press('Enter')
  await page.getByText("This browser can't reach its push service.").waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.evaluate(subscribeAt, [newAddress().address])
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await page.getByText('This browser shows your notifications.').waitFor()
})

browserTest('a browser that blocks notifications says how to allow them', async () => {
  const { page } = await openNotifications((one) =>
    one.addInitScript(() => {
      Object.defineProperty(Notification, 'permission', { get: () => 'denied' })
    }),
  )
  await page.getByText('Blocked', { exact: true }).waitFor()
  await page.getByText('Click the icon before the address, allow notifications').waitFor()
  expect(await page.getByRole('button', { name: 'Turn on' }).count()).toBe(0)
})

browserTest('an iPhone is asked to add Bellhop to its Home Screen first', async () => {
  const { page } = await openNotifications((one) =>
    one.addInitScript(() => {
      Reflect.deleteProperty(window, 'PushManager')
      const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1.15'
      Object.defineProperty(navigator, 'userAgent', { get: () => userAgent })
    }),
  )
  await page.getByText('Add Bellhop to your Home Screen first').waitFor()
  await page.getByText('Tap Share, then Add to Home Screen.').waitFor()
  expect(await page.getByRole('button', { name: 'Turn on' }).count()).toBe(0)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})

browserTest('the bell of a saved view pushes, emails or both, in its menu and on the page', async () => {
  const client = await bellhop.organization('Rung')
  const agent = await signInAgent(bellhop, client.orgId)
  const { id: viewId } = await createView(
    bellhop.deps,
    client.orgId,
    { agentId: agent.id, role: 'agent' },
    { name: 'Refunds', query: 'refund', isShared: false },
  )
  const bells = async () =>
    (await agent.call<{ bells: object[] }>('GET', '/console/me/notifications')).json.bells
  const page = await openPage({ ...bellhop, agent })
  const openMenu = async () => {
    await page.getByRole('link', { name: 'Refunds' }).hover()
    await page.getByRole('button', { name: 'Options for “Refunds”' }).press('Enter')
  }
  await page.goto('/inbox')
  await openMenu()
  const push = page.getByRole('menuitemcheckbox', { name: 'Notify me of new tickets' })
  await push.waitFor()
  // There is no mailbox that an email could come from.
  expect(await page.getByRole('menuitemcheckbox', { name: 'Email me new tickets' }).count()).toBe(0)
  await push.press('Enter')
  await page.getByText('Notifications for “Refunds”: push.').waitFor()
  const mailbox = await createMailbox(bellhop.deps, client.orgId, newMailbox())
  await pauseMailbox(bellhop.deps, client.orgId, mailbox.id)
  await page.reload()
  await openMenu()
  await page.getByRole('menuitemcheckbox', { name: 'Email me new tickets' }).press('Enter')
  await page.getByText('Notifications for “Refunds”: push and email.').waitFor()
  expect(await bells()).toEqual([{ viewId, name: 'Refunds', push: true, email: true }])

  await page.goto('/settings/account/notifications')
  const boxOf = (way: string) => page.getByLabel(`${way}: A ticket is new in “Refunds”`)
  await boxOf('Push').waitFor()
  // Both before the page has read what the first one did.
  const mayRead = Promise.withResolvers<void>()
  await interceptRequests(page, '**/console/me/notifications', async (route) => {
    await mayRead.promise
    await route.continue()
  })
  await boxOf('Push').press('Space')
  await eventually(async () =>
    Bun.deepEquals(await bells(), [{ viewId, name: 'Refunds', push: false, email: true }]),
  )
  await boxOf('Email').press('Space')
  await eventually(async () => (await bells()).length === 0)
  mayRead.resolve()
  // Off, it can be turned on again.
  await boxOf('Email').press('Space')
  await eventually(async () =>
    Bun.deepEquals(await bells(), [{ viewId, name: 'Refunds', push: false, email: true }]),
  )
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})
