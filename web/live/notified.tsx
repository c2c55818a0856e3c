import { useNavigate } from '@solidjs/router'
import { queryOptions, useQuery } from '@tanstack/solid-query'
import { createEffect, onCleanup, onMount } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'
import { toServerTime } from '../api/server-clock.ts'
import { useSession } from '../api/session.ts'
import { readStored, store } from '../browser/local-storage.ts'
import { toast, toastError } from '../ui/toaster.tsx'
import { pushSupport, renewPush, switchPushOn } from './push-subscription.ts'

const OFFERED = 'bellhop.pushOffered'
/** Sounds follow each other at this distance at least, over all tabs. */
const SOUND_PAUSE_MS = 3_000

const notifiedQuery = queryOptions({
  queryKey: queryKeys.notified,
  queryFn: () => ask(api.console.notifications.get()),
})

/** Shows the badge, plays the sound, closes notifications that were seen, and opens the ticket of one that was clicked. */
export default function Notified() {
  const session = useSession()
  const navigate = useNavigate()
  const query = useQuery(() => notifiedQuery)
  const owner = () => `${session().agent.id} ${session().session.id}`
  let since = new Date(toServerTime(Date.now())).toISOString()

  createEffect(() => {
    const unseen = query.data?.data
    if (!unseen) return
    const ticketIds = new Set(unseen.map(({ ticketId }) => ticketId))
    void showBadge(ticketIds.size)
    void closeSeen(ticketIds)
    const isPaused = Date.parse(query.data?.pausedUntil ?? '') > toServerTime(Date.now())
    const isNew = unseen.some(({ sound, createdAt }) => sound && createdAt > since)
    since = [since, ...unseen.map(({ createdAt }) => createdAt)].sort().at(-1) ?? since
    if (isNew && !isPaused) void ring()
  })
  onMount(() => {
    const onReplied = () => void offer(owner())
    addEventListener('bellhop-replied', onReplied)
    onCleanup(() => removeEventListener('bellhop-replied', onReplied))
    if (pushSupport() !== 'supported') return
    void renewPush(owner()).catch(() => {})
    const onMessage = ({ data }: MessageEvent) => {
      const url = typeof data?.navigate === 'string' ? URL.parse(data.navigate, location.href) : null
      if (url?.origin === location.origin) navigate(url.pathname + url.search)
    }
    navigator.serviceWorker.addEventListener('message', onMessage)
    onCleanup(() => navigator.serviceWorker.removeEventListener('message', onMessage))
  })
  return null
}

async function showBadge(count: number): Promise<void> {
  if (!('setAppBadge' in navigator)) return
  await (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {})
}

/** Closes notifications of tickets that were seen, here or on another device. */
async function closeSeen(unseen: ReadonlySet<string>): Promise<void> {
  if (pushSupport() !== 'supported') return
  const registration = await navigator.serviceWorker.getRegistration()
  for (const shown of (await registration?.getNotifications()) ?? []) {
    if (shown.tag.startsWith('tkt_') && !unseen.has(shown.tag)) shown.close()
  }
}

/** Of all tabs, the one that gets the lock rings, and keeps it for as long as no other may. */
async function ring(): Promise<void> {
  if (!('locks' in navigator)) {
    if (!document.hidden) play()
    return
  }
  await navigator.locks.request('bellhop.sound', { ifAvailable: true }, async (lock) => {
    if (!lock) return
    play()
    await new Promise((done) => setTimeout(done, SOUND_PAUSE_MS))
  })
}

/** Two short tones of a desk bell. Browsers allow sound only after the first click on the page. */
function play(): void {
  const context = new AudioContext()
  const start = context.currentTime
  for (const [place, frequency] of [1318.5, 1760].entries()) {
    const at = start + place * 0.11
    const tone = new OscillatorNode(context, { frequency, type: 'sine' })
    const gain = new GainNode(context, { gain: 0 })
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(0.16, at + 0.008)
    gain.gain.exponentialRampToValueAtTime(0.0005, at + 0.5)
    tone.connect(gain).connect(context.destination)
    tone.start(at)
    tone.stop(at + 0.55)
    tone.onended = () => void (place === 1 && context.close())
  }
}

/** Once, after the first reply: agents who answer customers want to know when they write back. */
async function offer(owner: string): Promise<void> {
  const wasOffered = readStored(OFFERED, (value) => typeof value === 'boolean', false)
  if (wasOffered || pushSupport() !== 'supported' || Notification.permission !== 'default') return
  store(OFFERED, true)
  toast('Get notified of answers even when Bellhop is closed.', {
    text: 'Turn on notifications',
    run: () => void turnOn(owner),
  })
}

async function turnOn(owner: string): Promise<void> {
  try {
    const { publicKey } = await ask(api.console.me.notifications.get())
    const refusal = await switchPushOn(publicKey, owner)
    if (refusal === undefined) toast('Notifications are on in this browser.')
    else if (refusal === 'service') toastError("This browser's push service can't be reached.")
  } catch {
    toastError("Couldn't turn on notifications. Try again under Your account → Notifications.")
  }
}
