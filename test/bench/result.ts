/** One measured figure against what was aimed at. */
export interface Result {
  name: string
  measured: number
  unit: 'ratio' | 'µs' | 'ms' | 'MiB' | 'KiB' | 'per second' | 'shifts' | 'statements'
  target: number
  /** Whether the figure should be at least or at most the target. */
  wanted: 'at least' | 'at most'
  /** Absolute figures behind it. */
  detail: string
}

export function isMet({ measured, target, wanted }: Result): boolean {
  return wanted === 'at least' ? measured >= target : measured <= target
}

export function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The two in turn, several times: the median of the ratios pair by pair holds when the machine's speed drifts. */
export async function pairs(
  howMany: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<{ ratio: number; one: number; other: number }> {
  const measured: [number, number][] = []
  for (let round = 0; round < howMany; round += 1) measured.push([await one(), await other()])
  return {
    ratio: median(measured.map(([first, second]) => first / second)),
    one: median(measured.map(([first]) => first)),
    other: median(measured.map(([, second]) => second)),
  }
}

export function printTable(results: Result[]): void {
  const rows = results.map((result) => [
    isMet(result) ? 'met' : 'MISSED',
    result.name,
    `${result.measured.toFixed(result.unit === 'ratio' ? 2 : 0)}${result.unit === 'ratio' ? '' : ` ${result.unit}`}`,
    `${result.wanted} ${result.target}`,
    result.detail,
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}
