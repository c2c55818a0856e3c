import type { Attachment } from '../contract.ts'
import { ApiProblem, problemOf, type VisitorApi } from './visitor-api.ts'

interface Upload {
  /** `share` is between 0 and 1. */
  progress(share: number): void
  done(file: Attachment): void
  failed(problem: ApiProblem): void
}

/** Not by fetch, which doesn't say how much it has sent. Returns how to cancel it. */
export function uploadVisitorFile({ base, native, headers }: VisitorApi, file: File, on: Upload): () => void {
  const request = new (native('XMLHttpRequest'))()
  request.open('POST', `${base}/files?name=${encodeURIComponent(file.name)}`)
  for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => on.progress(total === 0 ? 1 : loaded / total)
  request.onload = () => {
    const { status, responseText } = request
    if (status === 201) on.done(JSON.parse(responseText))
    else on.failed(problemOf(status, responseText, request.getResponseHeader('retry-after')))
  }
  request.onerror = () => on.failed(new ApiProblem(0, 'unreachable', ''))
  request.send(file)
  return () => request.abort()
}
