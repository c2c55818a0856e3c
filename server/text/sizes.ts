const UNITS: Record<string, number> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Reads a size such as `25MB` as bytes. 1 KB is 1,024 bytes. Throws when it isn't one. */
export function parseSize(text: string): number {
  const [, number, unit = 'B'] = /^(\d{1,9}) ?([KMG]?B)?$/i.exec(text.trim()) ?? []
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 1)
  if (!(bytes > 0)) throw new Error(text)
  return bytes
}

/** A size for people, such as `25 MB` or `1.5 KB`. */
export function formatSize(bytes: number): string {
  const [unit = 'B', size = 1] = Object.entries(UNITS).findLast(([, size]) => bytes >= size) ?? []
  return `${Math.round((bytes / size) * 10) / 10} ${unit}`
}
