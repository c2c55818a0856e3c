// Shows pushes, also while no tab is open, and opens their tickets. It answers no requests and keeps no files.

/** Where pages ask for the list of browsers, and a browser says that it got another address. */
const BROWSERS = '/console/me/browsers'

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => event.waitUntil(show(event.data?.json() ?? {})))

/** The declarative form of a push, which Safari also shows by itself. A newer one of the same ticket replaces the older. */
async function show({ notification, close = [], app_badge: badge }) {
  if (badge !== undefined) await self.navigator.setAppBadge?.(badge).catch(() => {})
  await closeShown(close)
  if (!notification) return
  const { title, body, tag, navigate } = notification
  // One about several tickets opens a list.
  if (navigate.endsWith(`/${tag}`) && (await isOpen(tag))) return
  await self.registration.showNotification(title, {
    body,
    tag,
    renotify: true,
    icon: 'ICON',
    data: { navigate },
  })
}

/** Whether a tab that has the focus shows the ticket. */
async function isOpen(ticketId) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return pages.some(({ focused, url }) => focused && new URL(url).pathname.endsWith(`/${ticketId}`))
}

async function closeShown(tags) {
  for (const tag of tags) {
    for (const shown of await self.registration.getNotifications({ tag })) shown.close()
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.navigate ?? '/inbox'))
})

/** In a tab that is open, without loading it again: it may hold unsent text. */
async function open(url) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find(({ focused }) => focused) ?? pages[0]
  if (!page) return self.clients.openWindow(url)
  const shown = await page.focus().catch(() => page)
  shown.postMessage({ navigate: url })
}

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

/** The browser got another address from its push service. */
async function renew({ oldSubscription, newSubscription }) {
  const options = oldSubscription?.options
  const fresh = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)))
  if (!fresh) return
  const { endpoint, keys } = fresh.toJSON()
  const body = JSON.stringify({
    endpoint,
    keys,
    ...(oldSubscription && { replaces: oldSubscription.endpoint }),
  })
  const headers = { 'content-type': 'application/json' }
  await fetch(BROWSERS, { method: 'POST', headers, body })
}
