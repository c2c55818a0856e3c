import { useQueryClient } from '@tanstack/solid-query'
import { onCleanup, onMount } from 'solid-js'
import { type SessionData, sessionQuery } from '../api/session.ts'
import { leaveWithoutWarning } from '../browser/unsaved-warning.ts'
import { Dialog } from '../ui/dialog.tsx'
import { unlessTyping } from './focus-when-quiet.ts'
import './frame.css'
import { isSignedOut, restoreSession } from '../api/session-expiry.ts'
import { SignInForm } from './sign-in-form.tsx'

/** A dialog over the page when the session ends. Nothing on the page is lost. */
export function SignInAgain(props: { session: SessionData }) {
  const queries = useQueryClient()
  const isOpen = unlessTyping(isSignedOut)

  function signedIn(session: SessionData, agentId = props.session.agent.id) {
    // The page belongs to another agent: reload it.
    if (session.agent.id !== agentId) return leaveWithoutWarning(() => location.reload())
    queries.setQueryData(sessionQuery.queryKey, session)
    restoreSession()
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  }

  /** The agent may have signed in again in another tab. */
  async function checkSession() {
    if (!isSignedOut()) return
    // Read first: fetching replaces the session in `props`.
    const agentId = props.session.agent.id
    const session = await queries
      .fetchQuery({ ...sessionQuery, staleTime: 0, retry: false })
      .catch(() => null)
    if (session) signedIn(session, agentId)
  }

  onMount(() => window.addEventListener('focus', checkSession))
  onCleanup(() => window.removeEventListener('focus', checkSession))

  return (
    <Dialog
      isOpen={isOpen()}
      title="Sign in again"
      description="Your session has ended. Sign in to pick up where you left off."
      size="small"
      isUnprompted
    >
      <div class="stack">
        <SignInForm again={props.session} onSignedIn={(session) => signedIn(session)} />
        <p class="frame-foot">
          Not you?{' '}
          <a href="/sign-in" rel="external">
            Switch account
          </a>
        </p>
      </div>
    </Dialog>
  )
}
