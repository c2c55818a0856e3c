import { useQueryClient } from '@tanstack/solid-query'
import { onCleanup, onMount } from 'solid-js'
import { type SessionData, sessionQuery } from '../api/session.ts'
import { leaveUnasked } from '../browser/unsaved-warning.ts'
import { Dialog } from '../ui/dialog.tsx'
import { unlessTyping } from './focus-when-quiet.ts'
import './frame.css'
import { isSignedOut, restoreSession } from '../api/session-expiry.ts'
import { SignInForm } from './sign-in-form.tsx'

/** Over the page, when the session ends while somebody is at work. Nothing below it is lost. */
export function SignInAgain(props: { session: SessionData }) {
  const queries = useQueryClient()
  const isOpen = unlessTyping(isSignedOut)

  function signedIn(session: SessionData, agentId = props.session.agent.id) {
    // What is open belongs to somebody else now: begin anew.
    if (session.agent.id !== agentId) return leaveUnasked(() => location.reload())
    queries.setQueryData(sessionQuery.queryKey, session)
    restoreSession()
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  }

  /** Signed in again in another tab, perhaps. */
  async function lookAgain() {
    if (!isSignedOut()) return
    // Once the session is read, the page is given the new one.
    const agentId = props.session.agent.id
    const session = await queries
      .fetchQuery({ ...sessionQuery, staleTime: 0, retry: false })
      .catch(() => null)
    if (session) signedIn(session, agentId)
  }

  onMount(() => window.addEventListener('focus', lookAgain))
  onCleanup(() => window.removeEventListener('focus', lookAgain))

  return (
    <Dialog
      isOpen={isOpen()}
      title="Sign in again"
      description="Your session has ended. What you were doing is still here, and goes on when you are back."
      size="small"
      isUnprompted
    >
      <div class="stack">
        <SignInForm again={props.session} onSignedIn={(session) => signedIn(session)} />
        <p class="frame-foot">
          Somebody else?{' '}
          <a href="/sign-in" rel="external">
            Leave this page and sign in
          </a>
        </p>
      </div>
    </Dialog>
  )
}
