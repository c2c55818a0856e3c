import { type Answer, type api, reportUnreached } from './api.ts'
import { isSignedOutCode, offlineProblem, problemOf } from './api-problem.ts'
import { waitForSignIn } from './session-expiry.ts'

type Answered = Answer<typeof api.v1.attachments.post>

export type UploadedFile = Omit<Answered, 'inline'> & { isInline?: true }

interface UploadOptions {
  /** An image is shown in the text of an email. */
  isInline: boolean
  signal: AbortSignal
  /** Called with the number of bytes sent so far. */
  onProgress: (sentBytes: number) => void
}

/** A connection that transfers nothing for this long is lost. */
const MAX_SILENCE_MS = 60_000

/**
 * Uploads a file that can then be sent with a message. If the session has expired, waits until the agent has signed in
 * again. Throws `ApiProblem`, or the reason of `signal` when it aborts.
 */
export async function uploadFile(file: File, options: UploadOptions): Promise<UploadedFile> {
  for (;;) {
    const response = await post(file, options)
    if (response.ok) {
      const { inline, ...file }: Answered = await response.json()
      return { ...file, ...(inline && { isInline: inline }) }
    }
    const problem = await problemOf(response)
    if (!isSignedOutCode(problem.code)) throw problem
    await waitForSignIn(options.signal)
  }
}

/** With XMLHttpRequest, because `fetch` doesn't report how much it has sent. */
function post(file: File, { isInline, signal, onProgress }: UploadOptions): Promise<Response> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    let timer = setTimeout(abort, MAX_SILENCE_MS)
    const name = encodeURIComponent(file.name.toWellFormed())
    request.open('POST', `/v1/attachments?name=${name}${isInline ? '&inline=true' : ''}`)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded }) => {
      clearTimeout(timer)
      timer = setTimeout(abort, MAX_SILENCE_MS)
      onProgress(loaded)
    }
    request.onload = () => resolve(responseOf(request))
    request.onerror = reportUnreached
    request.onloadend = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      // Both do nothing after `onload`.
      if (signal.aborted) reject(signal.reason)
      else reject(offlineProblem())
    }
    signal.addEventListener('abort', abort)
    request.send(file)
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const retryAfter = request.getResponseHeader('retry-after')
  const headers = retryAfter === null ? undefined : { 'retry-after': retryAfter }
  return new Response(request.responseText, { status: request.status, ...(headers && { headers }) })
}
