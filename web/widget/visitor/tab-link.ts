import type { Native } from '../contract.ts'

// A browser opens at most six connections to a server, so with one stream per tab the seventh tab would hang. One tab, the
// leader, has the stream and forwards its events to the others. web/live/tab-leader.ts does the same for the inbox.

/** A leader that doesn't respond within this time, such as a suspended one, is replaced by another tab. */
const MAX_RESPONSE_MS = 3_000

type Packet = { kind: 'ask' | 'here' } | { kind: 'message'; message: unknown }

export type TabLink = ReturnType<typeof linkTabs>

/** `lead` runs in one tab at a time and returns how to stop. `asked` runs in it when another tab is shown. */
export function linkTabs(
  name: string,
  native: Native,
  on: { lead: () => () => void; asked: () => void; receive: (message: unknown) => void },
) {
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined
  const controller = new (native('AbortController'))()
  const { locks } = navigator
  let stopLeading: (() => void) | undefined
  let release: (() => void) | undefined
  let takeover: ReturnType<typeof setTimeout> | undefined

  function send(packet: Packet): void {
    channel?.postMessage(packet)
  }

  async function follow(isForced: boolean): Promise<void> {
    const options = isForced ? { steal: true } : { signal: controller.signal }
    try {
      await locks.request(name, options, async () => {
        if (controller.signal.aborted) return
        clearTimeout(takeover)
        stopLeading = on.lead()
        await new (native('Promise'))<void>((resolve) => {
          release = resolve
        })
      })
    } catch {
      // Another tab has taken the lead, or the page is being unloaded.
    }
    end()
    if (!controller.signal.aborted) setTimeout(follow, MAX_RESPONSE_MS, false)
  }

  function end(): void {
    stopLeading?.()
    stopLeading = undefined
  }

  function ask(): void {
    if (stopLeading || document.hidden) return
    send({ kind: 'ask' })
    clearTimeout(takeover)
    takeover = setTimeout(follow, MAX_RESPONSE_MS, true)
  }

  /** Without locks: one stream per visible tab. */
  function updateVisible(): void {
    if (document.hidden) end()
    else stopLeading ??= on.lead()
  }

  const onVisibility = locks && channel ? ask : updateVisible
  if (channel) {
    channel.onmessage = ({ data }: MessageEvent<Packet>) => {
      if (data.kind === 'ask' && stopLeading) {
        send({ kind: 'here' })
        on.asked()
      }
      if (data.kind === 'here') clearTimeout(takeover)
      if (data.kind === 'message') on.receive(data.message)
    }
  }
  document.addEventListener('visibilitychange', onVisibility, { signal: controller.signal })
  if (locks && channel) {
    void follow(false)
    ask()
  } else updateVisible()

  return {
    /** Sends to all other tabs. */
    post: (message: unknown) => send({ kind: 'message', message }),
    stop(): void {
      controller.abort()
      clearTimeout(takeover)
      end()
      release?.()
      channel?.close()
    },
  }
}
