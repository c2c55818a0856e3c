import { statfs } from 'node:fs/promises'
import { count, gte, min } from 'drizzle-orm'
import { countFileBytes } from '../attachments/queries.ts'
import { messages } from '../database/tables/messages.ts'
import { firstIdAt, timeOfId } from '../ids.ts'
import { formatSize } from '../text/sizes.ts'
import { countOf, type Finding, findingsOf, type Installation, type OpenInstallation } from './finding.ts'

const { ok, warning, error } = findingsOf('disk')
const MIB = 2 ** 20
const DAY_MS = 86_400_000
/** Growth is that of so many days. With fewer than a week of data, it says nothing. */
const GROWTH_DAYS = 30
const MIN_DAYS = 7
/** With less, not even a short write is sure to succeed. */
const MIN_BYTES = MIB / 16
const FULL_BYTES = 100 * MIB
const LITTLE_BYTES = 1024 * MIB
const FULL_DAYS = 3
const FEW_DAYS = 30
const ADVICE = 'Free some space, or move the data folder to a larger disk.'
const MAX_DAYS = 3_650

/** Checks how much space is left, and how long it will last. */
export async function checkDisk({ config, ...open }: Installation | OpenInstallation): Promise<Finding[]> {
  const free = await freeBytes(config.dataFolder)
  // The check of the folder reports a missing folder.
  if (free === undefined) return []
  const stored = 'deps' in open ? await readStored(open) : undefined
  const days = stored?.perDay ? Math.floor(free / stored.perDay) : undefined
  const left = spaceLeft(free)
  const lasts =
    days === undefined || days > MAX_DAYS ? '' : `, enough for ${countOf(days, 'day')} at the present growth`
  const detail = `${left}${lasts}.`
  if (free < FULL_BYTES || (days ?? MAX_DAYS) < FULL_DAYS) return [error(detail, ADVICE)]
  if (free < LITTLE_BYTES || (days ?? MAX_DAYS) < FEW_DAYS) return [warning(detail, ADVICE)]
  if (stored && free < stored.database) {
    const less = `${left}, less than the database takes (${formatSize(stored.database)}).`
    return [warning(less, 'Free some space: a backup and an upgrade copy the database first.')]
  }
  return [ok(detail)]
}

/** What the server says at its start. Undefined when the disk isn't full, or there is no folder yet. */
export async function fullDisk(folder: string): Promise<{ detail: string; advice: string } | undefined> {
  const free = await freeBytes(folder)
  if (free === undefined || free >= FULL_BYTES) return undefined
  return { detail: `${spaceLeft(free)}.`, advice: ADVICE }
}

async function freeBytes(folder: string): Promise<number | undefined> {
  const disk = await statfs(folder).catch(() => undefined)
  return disk && disk.bavail * disk.bsize
}

function spaceLeft(free: number): string {
  if (free < MIN_BYTES) return 'The disk of the data folder is full'
  return `${formatSize(free)} are free on the disk of the data folder`
}

interface Stored {
  /** Bytes of the database on this disk. */
  database: number
  /** Bytes, or undefined when there is too little to tell. */
  perDay: number | undefined
}

/** The average message, with all that belongs to it, times the messages of a day. */
async function readStored({ deps, now }: Pick<OpenInstallation, 'deps' | 'now'>): Promise<Stored> {
  const { background, engine } = deps.database
  const database = engine === 'sqlite' ? (await deps.database.size()).database : 0
  const [all] = await background.select({ size: count(), first: min(messages.id) }).from(messages)
  const since = now - GROWTH_DAYS * DAY_MS
  const age = all?.first ? now - timeOfId(all.first) : 0
  if (!all || age < MIN_DAYS * DAY_MS) return { database, perDay: undefined }
  const [recent] = await background
    .select({ size: count() })
    .from(messages)
    .where(gte(messages.id, firstIdAt('msg', since)))
  const bytes = database + (deps.config.files ? 0 : await countFileBytes(deps))
  const days = Math.min(GROWTH_DAYS, age / DAY_MS)
  return { database, perDay: (bytes * (recent?.size ?? 0)) / all.size / days }
}
