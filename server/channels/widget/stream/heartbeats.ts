import type { Clock } from '../../../clock.ts'

/** The interval is divided into this many parts, and the streams are spread over them. */
const SLOTS = 150

/** Beats for each member once per interval, a few members at a time: one beat to all would block the event loop. */
export function createHeartbeats<Member>(clock: Clock, everyMs: number, beat: (member: Member) => void) {
  const slots = Array.from({ length: SLOTS }, () => new Set<Member>())
  const slotOf = new Map<Member, Set<Member>>()
  let turn = 0
  let next = 0
  let cancelTimer: (() => void) | undefined

  function startTimer(): void {
    cancelTimer = clock.after(everyMs / SLOTS, () => {
      cancelTimer = undefined
      turn = (turn + 1) % SLOTS
      for (const member of slots[turn] ?? []) beat(member)
      if (slotOf.size > 0) startTimer()
    })
  }

  return {
    add(member: Member): void {
      // Assigned in turn, not by time: after a restart, all streams reconnect at once.
      next = (next + 1) % SLOTS
      const slot = slots[next]
      if (!slot) return
      slot.add(member)
      slotOf.set(member, slot)
      if (!cancelTimer) startTimer()
    },
    remove(member: Member): void {
      slotOf.get(member)?.delete(member)
      slotOf.delete(member)
    },
    stop: () => cancelTimer?.(),
  }
}
