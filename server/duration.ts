const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const PATTERN = /^(\d+)(ms|s|m|h|d)$/

/** `250ms`, `30s`, `5m`, `1h`, `2d` in milliseconds. Throws with the value when it is none of these. */
export function parseDuration(text: string): number {
  const [, amount, unit] = PATTERN.exec(text.trim()) ?? []
  if (!amount || !unit) throw new Error(`"${text}" is not a duration like 30s or 5m.`)
  return Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS]
}

/** Durations between commas, such as `30s,5m,30m`. */
export function parseDurations(text: string): number[] {
  return text.split(',').map(parseDuration)
}
