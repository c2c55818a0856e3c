/** An endpoint that wants to claim deliveries. */
export interface Seat {
  id: string
  isSteady: boolean
  /** Sockets of its own that are free. */
  free: number
  /** How many it may claim ahead of a free socket. */
  ahead: number
}

/** What all endpoints share. */
export interface Room {
  claims: number
  attempts: number
  unsteady: number
  ahead: number
}

/** Deals out claims one by one, in the order of the seats and round after round, as long as there is room. */
export function deal(seats: Seat[], room: Room): Map<string, number> {
  const left = { ...room }
  const dealt = new Map<string, number>()
  let playing = seats.map((seat) => ({ ...seat }))
  while (playing.length > 0 && left.claims > 0) {
    playing = playing.filter((seat) => {
      if (left.claims <= 0 || !take(seat, left)) return false
      left.claims--
      dealt.set(seat.id, (dealt.get(seat.id) ?? 0) + 1)
      return true
    })
  }
  return dealt
}

/** A free socket if there is one, else a place in the queue. */
function take(seat: Seat, left: Room): boolean {
  if (seat.free > 0 && left.attempts > 0 && (seat.isSteady || left.unsteady > 0)) {
    seat.free--
    left.attempts--
    if (!seat.isSteady) left.unsteady--
    return true
  }
  if (seat.free > 0 || seat.ahead <= 0 || left.ahead <= 0) return false
  seat.ahead--
  left.ahead--
  return true
}
