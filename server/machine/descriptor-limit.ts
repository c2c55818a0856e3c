import { readFileSync } from 'node:fs'

/** A process's limit of open files. Bun raises it as far as it may. Only Linux tells. */
export function descriptorLimit(pid = process.pid): number | undefined {
  if (process.platform !== 'linux') return undefined
  const limit = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]
  return limit === undefined ? undefined : Number(limit)
}
