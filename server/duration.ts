const UNITS_MS = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** Milliseconds of a duration such as `250ms`, `30s`, `5m`, `1h` or `2d`. Throws an `Error` that names the value. */
export function parseDuration(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value.trim()) ?? []
  const unitMs = UNITS_MS.get(unit)
  if (!unitMs) throw new Error(`"${value}" is not a duration like 250ms, 30s, 5m, 1h or 2d.`)
  return Number(digits) * unitMs
}

/** Milliseconds of a comma-separated list such as `30s,5m,30m`; at least one. Throws like `parseDuration`. */
export function parseDurations(value: string): number[] {
  return value.split(',').map(parseDuration)
}
