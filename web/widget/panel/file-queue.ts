import { createSignal } from 'solid-js'
import type { Attachment } from '../contract.ts'
import type { Texts } from '../texts/en.ts'
import { fill } from '../texts/texts.ts'
import { newClientId } from '../visitor/kept-values.ts'
import { type ApiProblem, problemFrom, problemOf, type VisitorApi } from '../visitor/visitor-api.ts'
import type { WidgetClient } from '../visitor/widget-client.ts'

interface QueuedFile {
  key: string
  file: File
  /** Between 0 and 1. */
  progress(): number
  setProgress(share: number): void
  uploaded: Attachment | undefined
  problem: string
  cancel(): void
}

const MIB = 1_048_576
/** When the connection was lost. */
const RETRY_MS = 3_000
const MAX_RETRIES = 3
/** A longer pause than this is a refusal. */
const MAX_PAUSE_MS = 60_000

export type FileQueue = ReturnType<typeof createFileQueue>

/** The files of the next message. Each is uploaded when it is chosen. */
export function createFileQueue(client: WidgetClient, texts: () => Texts) {
  const [files, setFiles] = createSignal<QueuedFile[]>([])

  function change(key: string, more: Partial<QueuedFile>): void {
    setFiles(files().map((one) => (one.key === key ? { ...one, ...more } : one)))
  }

  function upload(key: string, retries = 0): void {
    const queued = files().find((one) => one.key === key)
    if (!queued || !client.api) return
    queued.setProgress(0)
    const cancel = uploadVisitorFile(client.api, queued.file, {
      progress: queued.setProgress,
      done: (uploaded) => change(key, { uploaded }),
      failed(problem) {
        if (problem.isTemporary && problem.pauseMs <= MAX_PAUSE_MS && retries < MAX_RETRIES) {
          const timer = setTimeout(upload, problem.pauseMs || RETRY_MS, key, retries + 1)
          return change(key, { cancel: () => clearTimeout(timer) })
        }
        const sentence = fill(texts().fileFailed, { name: queued.file.name })
        change(key, { problem: problem.status === 0 ? sentence : `${sentence} ${problem.message}` })
      },
    })
    change(key, { problem: '', cancel })
  }

  return {
    files,
    isUploading: () => files().some(({ uploaded, problem }) => !uploaded && problem === ''),
    add(added: File[]): void {
      const { maxFileBytes } = client.settings()
      const limit = { size: `${Math.floor(maxFileBytes / MIB)} MB` }
      for (const file of added) {
        const key = newClientId()
        const [progress, setProgress] = createSignal(0)
        const problem =
          file.size > maxFileBytes ? fill(texts().fileTooLarge, { name: file.name, ...limit }) : ''
        const queued = { key, file, progress, setProgress, uploaded: undefined, problem, cancel() {} }
        setFiles([...files(), queued])
        if (problem === '') upload(key)
      }
    },
    retry: (key: string) => upload(key),
    remove(key: string): void {
      files()
        .find((one) => one.key === key)
        ?.cancel()
      setFiles(files().filter((one) => one.key !== key))
    },
    /** Returns the uploaded files and removes them from the queue. */
    take(): Attachment[] {
      const uploaded = files().flatMap((one) => (one.uploaded ? [one.uploaded] : []))
      setFiles(files().filter((one) => !one.uploaded))
      return uploaded
    },
  }
}

interface Upload {
  /** `share` is between 0 and 1. */
  progress(share: number): void
  done(file: Attachment): void
  failed(problem: ApiProblem): void
}

/** Not by fetch, which doesn't say how much it has sent. Returns how to cancel it. */
function uploadVisitorFile({ base, native, headers }: VisitorApi, file: File, on: Upload): () => void {
  const request = new (native('XMLHttpRequest'))()
  request.open('POST', `${base}/files?name=${encodeURIComponent(file.name)}`)
  for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => on.progress(total === 0 ? 1 : loaded / total)
  request.onload = () => {
    const { status, responseText } = request
    if (status === 201) on.done(JSON.parse(responseText))
    else on.failed(problemOf(status, responseText, request.getResponseHeader('retry-after')))
  }
  request.onerror = () => on.failed(problemFrom(''))
  request.send(file)
  return () => request.abort()
}
