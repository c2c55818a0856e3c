import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupPlace, KeptBackups } from '../backup-place.ts'
import { backupName, outdatedBackups } from './backup-names.ts'
import { openBackupStore } from './backup-store.ts'
import { type BackupSource, withWorkFolder, writeDraft } from './create-backup.ts'
import { readArchive } from './read-archive.ts'

/** What the server gives to the process that makes an automatic backup, as JSON. */
export interface BackupJob extends BackupSource {
  place: BackupPlace
  keep: KeptBackups[]
}

export interface BackupResult {
  name: string
  bytes: number
  /** Attachments that the data folder lacks. */
  missing: number
}

/**
 * Makes a backup, stores it, reads it back to its end, and only then deletes those that are not kept. Throws
 * `BackupError`; a backup that can't be read back is deleted.
 */
export async function runBackupJob({ place, keep, ...source }: BackupJob): Promise<BackupResult> {
  const store = openBackupStore(place)
  const name = backupName(source.now, source.passphrase !== undefined)
  return withWorkFolder(source.dataFolder, async (work) => {
    const draft = join(work, name)
    const bytes = await writeDraft(draft, work, source)
    await store.store(draft, name)
    await rm(draft)
    try {
      const { missing } = await readArchive(store.open(name), { passphrase: source.passphrase })
      for (const outdated of outdatedBackups(await store.list(), keep)) await store.delete(outdated)
      return { name, bytes, missing: missing.length }
    } catch (error) {
      await store.delete(name).catch(() => {})
      throw error
    }
  })
}
