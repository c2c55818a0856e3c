import { useQueryClient } from '@tanstack/solid-query'
import { lazy, onCleanup, onMount } from 'solid-js'
import { type SessionData, sessionQuery } from '../api/session.ts'
import { leaveWithoutWarning } from '../browser/unsaved-warning.ts'
import { Dialog } from '../ui/dialog.tsx'
import { unlessTyping } from './focus-when-quiet.ts'
import './frame.css'
import { isSignedOut, restoreSession } from '../api/session-expiry.ts'

/** Loaded soon after the page, so that it is there when the session ends. */
const SignInForm = lazy(() =>
  import('./sign-in-form.tsx').then(
    ({ SignInForm }) => ({ default: SignInForm }),
    () => ({
      default: () => <p role="alert">Couldn't load the form. Sign in in another tab, then come back.</p>,
    }),
  ),
)

/** After everything that the page itself loads. */
const PRELOAD_AFTER_MS = 3_000

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

  onMount(() => {
    const timer = setTimeout(() => void SignInForm.preload(), PRELOAD_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })
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
