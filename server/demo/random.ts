/** Pseudorandom numbers, the same each time for a seed (mulberry32). */
export interface Random {
  /** From 0 up to, but not including, 1. */
  fraction(): number
  /** An integer, both ends included. */
  between(min: number, max: number): number
  pick<T>(from: readonly T[]): T
  /** True with this probability. */
  chance(probability: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed

  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const between = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1))
  return {
    fraction,
    between,
    pick(from) {
      const picked = from[between(0, from.length - 1)]
      if (picked === undefined) throw new Error('There is nothing to pick from.')
      return picked
    },
    chance: (probability) => fraction() < probability,
  }
}
