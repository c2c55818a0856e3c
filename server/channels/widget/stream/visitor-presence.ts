import type { Clock } from '../../../clock.ts'

/** A page repeats it while its visitor types. */
const EXPIRES_AFTER_MS = 8_000

/** In which tickets visitors are typing now. In memory only, because it expires in seconds. */
interface VisitorPresence {
  setTyping(typing: { orgId: string; ticketId: string; isTyping: boolean }): void
  /** Ids of the organization's tickets, sorted. */
  typingIn(orgId: string): string[]
  stop(): void
}

export function createVisitorPresence(clock: Clock, onChange: (orgId: string) => void): VisitorPresence {
  const typing = new Map<string, { orgId: string; expiresAt: number }>()
  let cancelTimer: (() => void) | undefined

  function removeExpired(): void {
    cancelTimer = undefined
    const changed = new Set<string>()
    for (const [ticketId, { orgId, expiresAt }] of typing) {
      if (expiresAt > clock.monotonic()) continue
      typing.delete(ticketId)
      changed.add(orgId)
    }
    startTimer()
    for (const orgId of changed) onChange(orgId)
  }

  /** The oldest is first, because each repetition moves to the end. */
  function startTimer(): void {
    const [first] = typing.values()
    if (first && !cancelTimer) {
      cancelTimer = clock.after(Math.max(first.expiresAt - clock.monotonic(), 0), removeExpired)
    }
  }

  return {
    setTyping({ orgId, ticketId, isTyping }) {
      const wasTyping = typing.delete(ticketId)
      if (isTyping) typing.set(ticketId, { orgId, expiresAt: clock.monotonic() + EXPIRES_AFTER_MS })
      startTimer()
      if (wasTyping !== isTyping) onChange(orgId)
    },
    typingIn(orgId) {
      return [...typing].flatMap(([ticketId, one]) => (one.orgId === orgId ? [ticketId] : [])).sort()
    },
    stop: () => cancelTimer?.(),
  }
}
