import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { engine } from '../../server/database/columns.ts'
import { StorageError } from '../../server/database/database.ts'
import { addOrganization, databaseFile, openStorage, organizationIds } from '../database/storage.ts'

const HANDLES = '/proc/self/fd'

describe.if(engine === 'sqlite' && process.platform === 'linux')('a disk that fails to keep the log', () => {
  test('reports that it is unknown whether the batch was kept, and wakes no listener', async () => {
    let commits = 0
    await using storage = await openStorage(() => {
      commits += 1
    })
    await storage.database.write(undefined, (tx) => addOrganization(tx, 'org_kept'))
    expect(commits).toBe(1)
    breakSync(`${databaseFile(storage.place)}-wal`)

    const ids = ['org_a', 'org_b', 'org_c']
    const refusals = ids.map((id) =>
      storage.database.write(undefined, (tx) => addOrganization(tx, id)).catch((error) => error),
    )
    for (const refusal of await Promise.all(refusals)) {
      expect(refusal).toBeInstanceOf(StorageError)
      expect(refusal.isCertain).toBe(false)
    }
    expect(commits).toBe(1)
    // A unit that changes nothing needs no disk.
    expect(await storage.database.write(undefined, async () => 'done')).toBe('done')
    expect(await organizationIds(storage.database)).toContain('org_kept')
  })
})

/** Puts the null device, which can't be synced, in the place of the handle that the log is synced through. */
function breakSync(log: string): void {
  const handle = readdirSync(HANDLES).find((name) => isForSyncing(name, log))
  if (handle === undefined) throw new Error('The log is not open for syncing.')
  closeSync(Number(handle))
  // A new handle gets the lowest free number, and lower ones may have become free since the log was opened.
  const opened = [openSync('/dev/null', 'r')]
  while (Number(opened.at(-1)) < Number(handle)) opened.push(openSync('/dev/null', 'r'))
  expect(opened.pop()).toBe(Number(handle))
  for (const other of opened) closeSync(other)
}

/** SQLite's own handle of the log can write. The handle of the folder that is being listed is gone by now. */
function isForSyncing(name: string, log: string): boolean {
  try {
    if (readlinkSync(`${HANDLES}/${name}`) !== log) return false
    return !/flags:\s+\d*[12]$/m.test(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))
  } catch {
    return false
  }
}
