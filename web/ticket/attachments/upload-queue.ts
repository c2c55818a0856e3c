import { type Accessor, createRoot, createSignal, untrack } from 'solid-js'
import { formatSize } from '../../../server/text/sizes.ts'
import { ApiProblem, errorMessage } from '../../api/api-problem.ts'
import type { SessionData } from '../../api/session.ts'
import { type UploadedFile, uploadFile } from '../../api/upload-file.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { onConnectionBack } from '../../live/live.ts'
import { toastError } from '../../ui/toaster.tsx'

/** A file that was pasted into a text. An image is shown there, and not attached. */
export class PastedFile extends File {}

/** A file between being chosen and being attached. */
export interface Upload {
  /** Identifies it, and gives its place among the attachments. */
  addedAt: number
  name: string
  /** Bytes. */
  size: number
  sentBytes: Accessor<number>
  /** `retrying`: the server wasn't reached, and it continues without the agent. */
  state: 'waiting' | 'uploading' | 'retrying' | 'failed'
  /** Why it isn't being uploaded. */
  reason?: string
  /** Whether another attempt can succeed. */
  canRetry: boolean
}

/** The uploads of one draft. */
export interface UploadQueue {
  uploads: Accessor<readonly Upload[]>
  /** Whether any upload will still end without the agent. */
  isBusy: () => boolean
  hasFailed: () => boolean
  /** What to do about uploads that failed, before the message can be sent. */
  fault: () => string | undefined
  /** Adds files, except those for which the message has no room. */
  add: (files: readonly File[], limits: AttachmentLimits) => void
  retry: (upload: Upload) => void
  /** Stops an upload, or dismisses one that failed. */
  cancel: (upload: Upload) => void
  cancelAll: () => void
}

interface UploadQueueInput {
  /** How many files the message has already. */
  attachedCount: () => number
  onUploaded: (file: UploadedFile & { addedAt: number }) => void
  /** Nothing is being uploaded now. `isComplete`: no upload has failed. */
  onEnded: (isComplete: boolean) => void
}

export type AttachmentLimits = SessionData['limits']

/** More at once would not be faster. */
const MAX_PARALLEL = 3
/** Pauses after attempts that didn't reach the server. After the last one, the agent decides. */
const RETRY_AFTER_MS = [3_000, 6_000, 15_000, 30_000, 60_000]

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

interface Job {
  file: File
  stop: AbortController
  attempts: number
  setSentBytes: (bytes: number) => void
}

let lastAddedAt = 0
/** Uploads in progress on this page. */
const [busyCount, setBusyCount] = createSignal(0)
createRoot(() => askBeforeLeaving(() => busyCount() > 0))

/** Uploads files, some at once, and keeps going while the agent is elsewhere on the page. */
export function createUploadQueue({ attachedCount, onUploaded, onEnded }: UploadQueueInput): UploadQueue {
  const [uploads, setUploads] = createSignal<readonly Upload[]>([])
  const jobs = new Map<number, Job>()
  const isPending = ({ state }: Upload) => state !== 'failed'
  const find = (addedAt: number) => untrack(uploads).find((one) => one.addedAt === addedAt)

  function change(addedAt: number, part: Partial<Upload>): void {
    setUploads((all) => all.map((one) => (one.addedAt === addedAt ? { ...one, ...part } : one)))
  }

  function remove(addedAt: number): void {
    jobs.get(addedAt)?.stop.abort()
    jobs.delete(addedAt)
    setUploads((all) => all.filter((one) => one.addedAt !== addedAt))
  }

  /** Starts what can start now. */
  function advance(): void {
    const all = untrack(uploads)
    const free = MAX_PARALLEL - all.filter(({ state }) => state === 'uploading').length
    for (const { addedAt } of all.filter(({ state }) => state === 'waiting').slice(0, Math.max(free, 0))) {
      void run(addedAt)
    }
  }

  async function run(addedAt: number): Promise<void> {
    const job = jobs.get(addedAt)
    if (!job) return
    change(addedAt, { state: 'uploading', reason: '' })
    job.setSentBytes(0)
    setBusyCount((count) => count + 1)
    try {
      await requireReadable(job.file)
      const file = await uploadFile(job.file, {
        isInline: job.file instanceof PastedFile,
        signal: job.stop.signal,
        onProgress: job.setSentBytes,
      })
      jobs.delete(addedAt)
      remove(addedAt)
      onUploaded({ ...file, addedAt })
    } catch (error) {
      if (!job.stop.signal.aborted) fail(addedAt, job, error)
    } finally {
      setBusyCount((count) => count - 1)
    }
    next()
  }

  function fail(addedAt: number, job: Job, error: unknown): void {
    const pauseMs = isUnreached(error) ? RETRY_AFTER_MS[job.attempts] : undefined
    job.attempts += 1
    if (pauseMs === undefined) {
      change(addedAt, { state: 'failed', reason: reasonOf(error), canRetry: isWorthRetrying(error) })
      return
    }
    change(addedAt, { state: 'retrying', reason: 'Connection lost. Retrying…', canRetry: true })
    const resume = () => {
      clearTimeout(timer)
      stopListening()
      if (find(addedAt)?.state === 'retrying') enqueue(addedAt)
    }
    const timer = setTimeout(resume, pauseMs)
    const stopListening = onConnectionBack(resume)
  }

  function enqueue(addedAt: number): void {
    change(addedAt, { state: 'waiting' })
    advance()
  }

  function next(): void {
    advance()
    const left = untrack(uploads)
    if (!left.some(isPending)) onEnded(left.length === 0)
  }

  return {
    uploads,
    isBusy: () => uploads().some(isPending),
    hasFailed: () => !uploads().every(isPending),
    fault: () => faultOf(uploads().filter((upload) => !isPending(upload))),
    add(files, limits) {
      const room = Math.max(limits.attachmentsPerMessage - attachedCount() - untrack(uploads).length, 0)
      if (files.length > room) toastError(tooMany(limits.attachmentsPerMessage, files.length - room))
      const added = files.slice(0, room).map((file) => newUpload(file, limits))
      for (const { upload, job } of added) jobs.set(upload.addedAt, job)
      setUploads((all) => [...all, ...added.map(({ upload }) => upload)])
      advance()
    },
    retry({ addedAt }) {
      const job = jobs.get(addedAt)
      if (job) job.attempts = 0
      enqueue(addedAt)
    },
    cancel({ addedAt }) {
      remove(addedAt)
      next()
    },
    cancelAll() {
      for (const { addedAt } of untrack(uploads)) remove(addedAt)
    },
  }
}

function newUpload(file: File, limits: AttachmentLimits): { upload: Upload; job: Job } {
  lastAddedAt = Math.max(lastAddedAt + 1, Date.now())
  const [sentBytes, setSentBytes] = createSignal(0)
  const { name, size } = file
  const reason = refusalOf(file, limits)
  const known = { addedAt: lastAddedAt, name, size, sentBytes }
  return {
    upload: { ...known, ...(reason ? failed(reason) : { state: 'waiting', canRetry: true }) },
    job: { file, stop: new AbortController(), attempts: 0, setSentBytes },
  }
}

/** The server would refuse it, after all of it was sent. */
function refusalOf({ size }: File, { attachmentBytes }: AttachmentLimits): string | undefined {
  if (size === 0) return 'The file is empty'
  return size > attachmentBytes ? `Larger than ${formatSize(attachmentBytes)}` : undefined
}

function failed(reason: string) {
  return { state: 'failed' as const, reason, canRetry: false }
}

/** Uploads that can't be retried come first: they have to be removed in any case. */
function faultOf(failed: Upload[]): string | undefined {
  if (failed.length === 0) return undefined
  const unfit = failed.filter(({ canRetry }) => !canRetry)
  const names = (unfit.length > 0 ? unfit : failed).map(({ name, reason = '' }) => {
    const [first = '', ...rest] = reason.replace(/\.$/, '')
    return `“${name}” (${first.toLowerCase()}${rest.join('')})`
  })
  return `${unfit.length > 0 ? 'Remove' : 'Retry or remove'} ${LIST.format(names)}.`
}

/** A folder, or a file that was deleted or changed since it was chosen, would look like a lost connection. */
async function requireReadable(file: File): Promise<void> {
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new ApiProblem(400, 'unreadable_file', "Couldn't read the file", [])
    })
}

function isUnreached(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 0
}

/** The server would refuse a file of this size again. */
function isWorthRetrying(error: unknown): boolean {
  return !(error instanceof ApiProblem) || !['file_too_large', 'empty_file'].includes(error.code)
}

function reasonOf(error: unknown): string {
  return isUnreached(error) ? "Can't reach the server" : errorMessage(error)
}

function tooMany(most: number, left: number): string {
  const files = left === 1 ? '1 file was' : `${left} files were`
  return `A message can have ${most} files. ${files} not added.`
}
