/** ISO 8601, UTC, with milliseconds and `Z`. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

export function isoTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoTime(milliseconds)
}

/** Whether a calendar has this `YYYY-MM-DD`: `Date.parse` takes the 31st of February for the 3rd of March. */
export function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isFinite(time) && isoTime(time).startsWith(day)
}
