import { createSignal } from 'solid-js'

const [isExpired, setExpired] = createSignal(false)
let waiting: (() => void)[] = []

/** Whether the session has ended while the page is open. The page then asks to sign in again over its content. */
export const isSignedOut = isExpired

/** Marks the session as ended. */
export function expireSession(): void {
  setExpired(true)
}

/** Marks the session as valid again and resumes the requests that were waiting. */
export function restoreSession(): void {
  setExpired(false)
  const resume = waiting
  waiting = []
  for (const go of resume) go()
}

/** Marks the session as ended and waits until someone has signed in. Rejects when `signal` aborts. */
export function waitForSignIn(signal?: AbortSignal): Promise<void> {
  expireSession()
  return new Promise((resolve, reject) => {
    waiting.push(resolve)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
