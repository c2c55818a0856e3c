import { createSignal } from 'solid-js'

const [isAsking, setAsking] = createSignal(false)
let waiting: (() => void)[] = []

/** Whether the session has ended while somebody was at work: the page asks to sign in again, over whatever is open. */
export const isSignedOut = isAsking

/** The session has ended. What needs one waits from now on. */
export function sessionEnded(): void {
  setAsking(true)
}

/** Somebody is signed in again: what waited goes on. */
export function sessionIsBack(): void {
  setAsking(false)
  const resume = waiting
  waiting = []
  for (const go of resume) go()
}

/** Asks to sign in again and waits for it. Rejects when the signal says that nobody wants the answer any more. */
export function signedInAgain(signal?: AbortSignal): Promise<void> {
  sessionEnded()
  return new Promise((resolve, reject) => {
    waiting.push(resolve)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
