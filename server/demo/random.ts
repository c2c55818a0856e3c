/** Numbers that look random and are the same each time for a seed (mulberry32). */
export interface Random {
  /** From 0 up to 1. */
  share(): number
  /** Whole, both ends included. */
  between(least: number, most: number): number
  pick<T>(from: readonly T[]): T
  /** True so often, of 1. */
  chance(share: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed

  function share(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const between = (least: number, most: number) => least + Math.floor(share() * (most - least + 1))
  return {
    share,
    between,
    pick(from) {
      const picked = from[between(0, from.length - 1)]
      if (picked === undefined) throw new Error('There is nothing to pick from.')
      return picked
    },
    chance: (often) => share() < often,
  }
}
