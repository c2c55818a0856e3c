import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { networkOf } from '../../../requests/address.ts'
import { formatSize } from '../../../text/sizes.ts'
import { tooMany } from './visitor-limits.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FILES_PER_HOUR = 50
/** A small file costs a row and a block of the disk too. */
const MIN_COUNTED_BYTES = 64 * 1024
/** Shares of what the visitors of an organization can upload in a day. */
const UNSENT_OF_ADDRESS = 1 / 10
const ALL_OF_ADDRESS = 1 / 4
const ALL_OF_WIDGET = 3 / 4
/** Kept free on the disk for mail, messages, and agents: this much, or this share of a small disk. */
const RESERVE_BYTES = 2 ** 30
const RESERVE_SHARE = 0.05

interface Uploader {
  orgId: string
  widgetId: string
  visitorId: string
  address: string
}

interface Upload {
  visitorId: string
  widgetId: string
  network: string
  at: number
  bytes: number
  /** Known once it is stored. */
  id: string | undefined
  isArriving: boolean
  isSent: boolean
}

/** A file that is being received. */
export interface CountedUpload {
  stored(file: { id: string; size: number }): void
  failed(): void
}

/**
 * What strangers can put on the disk, counted in memory: files of a visitor, unsent files of an address, and all files of
 * an address, a widget, and an organization in a day. What isn't sent for a day is deleted anyway.
 */
export function createUploadLimits(deps: Deps) {
  const { monotonic } = deps.clock
  const { visitorUploadBytes: allOfOrganization } = deps.config
  const byOrganization = new Map<string, Upload[]>()

  function ofDay(orgId: string): Upload[] {
    const since = monotonic() - DAY_MS
    const known = byOrganization.get(orgId) ?? []
    const recent = known[0] && known[0].at <= since ? known.filter(({ at }) => at > since) : known
    if (recent.length > 0) byOrganization.set(orgId, recent)
    else byOrganization.delete(orgId)
    return recent
  }

  function arrivingBytes(): number {
    return sumOf([...byOrganization.values()].flat().filter(({ isArriving }) => isArriving))
  }

  return {
    /** Counts a file at its announced size before it is received. Throws 429, and 507 when the disk is nearly full. */
    async count(from: Uploader, announcedBytes: number): Promise<CountedUpload> {
      const { orgId, widgetId, visitorId } = from
      const network = networkOf(from.address)
      const upload: Upload = {
        visitorId,
        widgetId,
        network,
        at: monotonic(),
        bytes: Math.max(announcedBytes, MIN_COUNTED_BYTES),
        id: undefined,
        isArriving: true,
        isSent: false,
      }
      const uploads = ofDay(orgId)
      const ofLastHour = uploads.filter((one) => one.visitorId === visitorId && one.at + HOUR_MS > upload.at)
      if (ofLastHour.length >= FILES_PER_HOUR)
        throw tooMany('files', (ofLastHour[0]?.at ?? 0) + HOUR_MS - upload.at)
      const ofAddress = uploads.filter((one) => one.network === network)
      const unsent = ofAddress.filter(({ isSent }) => !isSent)
      const ofWidget = uploads.filter((one) => one.widgetId === widgetId)
      const limits: [counted: Upload[], share: number][] = [
        [unsent, UNSENT_OF_ADDRESS],
        [ofAddress, ALL_OF_ADDRESS],
        [ofWidget, ALL_OF_WIDGET],
        [uploads, 1],
      ]
      for (const [counted, share] of limits) {
        const limit = allOfOrganization * share
        if (sumOf(counted) + upload.bytes > limit) throw tooManyBytes(upload.at, counted)
      }
      const arriving = arrivingBytes()
      byOrganization.set(orgId, [...uploads, upload])
      // It still counts as one of the visitor's files.
      const failed = () => void Object.assign(upload, { bytes: 0, isArriving: false })
      try {
        await requireReserve(deps, arriving + announcedBytes)
      } catch (error) {
        failed()
        throw error
      }
      return {
        failed,
        stored({ id, size }) {
          Object.assign(upload, { id, bytes: Math.max(size, MIN_COUNTED_BYTES), isArriving: false })
        },
      }
    },
    /** Sent files don't count as unsent anymore. */
    sent(orgId: string, ids: string[]): void {
      if (ids.length === 0) return
      for (const upload of ofDay(orgId)) if (upload.id && ids.includes(upload.id)) upload.isSent = true
    },
    /** Removes expired entries. */
    sweep(): void {
      for (const orgId of byOrganization.keys()) ofDay(orgId)
    },
  }
}

function sumOf(uploads: Upload[]): number {
  return uploads.reduce((sum, { bytes }) => sum + bytes, 0)
}

function tooManyBytes(now: number, [oldest]: Upload[]): AppError {
  const seconds = Math.max(1, Math.ceil(((oldest?.at ?? now) + DAY_MS - now) / 1_000))
  const detail = 'Too much was uploaded here today. Send the files that are ready, or try again tomorrow.'
  return new AppError(429, 'upload_limit', detail, { headers: { 'retry-after': String(seconds) } })
}

/** Throws 507 if a file would take what is left for everything else. */
async function requireReserve({ files, log }: Deps, bytes: number): Promise<void> {
  const { free, total } = await files.space()
  const reserve = Math.min(RESERVE_BYTES, total * RESERVE_SHARE)
  if (free - bytes >= reserve) return
  log.warn('visitor_upload_refused', { free: formatSize(free), reserve: formatSize(reserve) })
  const detail = 'The file couldn’t be saved, because the server’s disk is almost full. Nothing changed.'
  throw new AppError(507, 'disk_full', detail)
}
