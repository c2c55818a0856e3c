import { api, ask } from '../api/api.ts'
import { readStored, removeStored, store } from '../browser/local-storage.ts'

/** Which agent's pushes this browser shows, in which session. */
const KEY = 'bellhop.push'
const WORKER = '/sw.js'

/** Whether this browser can show pushes. `home screen`: once Bellhop is added to it, as on an iPhone. `insecure`: only over https. */
type PushSupport = 'supported' | 'home screen' | 'insecure' | 'unsupported'

export function pushSupport(): PushSupport {
  if (!isSecureContext) return 'insecure'
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window) return 'supported'
  return /iPhone|iPad/.test(navigator.userAgent) ? 'home screen' : 'unsupported'
}

export async function currentSubscription(): Promise<PushSubscription | null> {
  if (pushSupport() !== 'supported') return null
  const registration = await navigator.serviceWorker.getRegistration(WORKER)
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** Why pushes weren't switched on. `blocked` and `dismissed` by the person, `service` by the browser's push service. */
export type PushRefusal = 'blocked' | 'dismissed' | 'service'

/** Asks for permission, so call it after a click. Returns why it didn't work. */
export async function switchPushOn(publicKey: string, owner: string): Promise<PushRefusal | undefined> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'dismissed'
  await navigator.serviceWorker.register(WORKER)
  const registration = await navigator.serviceWorker.ready
  const subscription = await subscribe(registration, publicKey).catch(() => undefined)
  if (!subscription) return 'service'
  await send(subscription, owner)
  return undefined
}

/** Always a new one: the push service may have ended that of before, or it was made with another key of the server. */
async function subscribe(
  { pushManager }: ServiceWorkerRegistration,
  publicKey: string,
): Promise<PushSubscription> {
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

export async function switchPushOff(): Promise<void> {
  removeStored(KEY)
  await (await currentSubscription())?.unsubscribe()
}

/** Registers this browser for the new session of an agent whose pushes it showed before. */
export async function renewPush(owner: string): Promise<void> {
  const known = readStored(KEY, (value) => typeof value === 'string', '')
  const [agentId] = owner.split(' ')
  if (known === owner || !known.startsWith(`${agentId} `) || Notification.permission !== 'granted') return
  const subscription = await currentSubscription()
  if (subscription) await send(subscription, owner)
}

async function send(subscription: PushSubscription, owner: string): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  await ask(api.console.me.browsers.post({ endpoint: endpoint ?? '', keys: { p256dh, auth } }))
  store(KEY, owner)
}
