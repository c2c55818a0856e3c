import type { Deps } from '../deps.ts'
import { type Loop, startLoop } from '../loop.ts'
import { isAnyConnected } from './accounts/accounts.ts'
import type { Channel, LiveTyping } from './channel.ts'

/** The shortest pause between two checks for a first mailbox or bot after commits. */
const MIN_REST_MS = 500
const REST_MS = 60_000

interface Given {
  live: LiveTyping
  /** Called with the outcome of each attempt to send a message. */
  onSendAttempt?: (outcome: string) => void
}

/** Starts a channel's loops once an organization uses it. Until then nothing of it is loaded. */
export function startChannels(deps: Deps, given: Given): Pick<Loop, 'stop'> {
  const started = new Set<Channel>()
  const running: Pick<Loop, 'stop'>[] = []
  let isSending = false
  let lookedAt = Number.NEGATIVE_INFINITY

  const loop = startLoop(deps, 'channels', deps.channels.accounts, async () => {
    const unstarted = deps.channels.all.filter((channel) => channel.start && !started.has(channel))
    if (unstarted.length === 0) return REST_MS
    const rest = lookedAt + MIN_REST_MS - deps.clock.monotonic()
    if (rest > 0) return rest
    lookedAt = deps.clock.monotonic()
    for (const channel of unstarted) {
      const isUsed = channel.isUsed?.(deps) ?? isAnyConnected(deps, channel.accounts)
      if (!(await isUsed)) continue
      if (channel.sending && !isSending) {
        running.push(...(await startSends()))
        isSending = true
      }
      if (channel.start) running.push(await channel.start(deps, given.live))
      started.add(channel)
    }
    return REST_MS
  })

  /** All channels send through the same loop. */
  async function startSends(): Promise<Pick<Loop, 'stop'>[]> {
    const { startSending, startPruningSends } = await import('../messages/sends/sending-loop.ts')
    return [startSending(deps, given.onSendAttempt), startPruningSends(deps)]
  }

  return {
    async stop() {
      await loop.stop()
      await Promise.all(running.map((each) => each.stop()))
    },
  }
}
