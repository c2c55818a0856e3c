import { createSignal } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { errorMessage } from '../api/api-problem.ts'
import { queries } from '../api/queries.ts'
import { type SessionData, sessionQuery } from '../api/session.ts'
import { ConfirmDialog } from '../forms/confirm-dialog.tsx'
import { toastError } from '../ui/toaster.tsx'
import { removeSavedDrafts, unsavedDrafts } from './draft/draft-storage.ts'
import { countMailDrafts } from './outgoing/mail-storage.ts'

/** Drafts are saved within this time if the server can be reached. */
const MAX_SAVE_MS = 1_500
const POLL_MS = 50

const [unsaved, setUnsaved] = createSignal(0)
let signInPage = '/sign-in'

/**
 * Ends the session. Asks first if some text isn't saved on the server. Whoever signs in then continues at `to`, by default in
 * the inbox.
 */
export async function signOut({ to }: { to?: string } = {}): Promise<void> {
  signInPage = to === undefined ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`
  for (const end = Date.now() + MAX_SAVE_MS; countUnsaved() > 0 && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  if (countUnsaved() > 0) return void setUnsaved(countUnsaved())
  await endSession().catch((error: unknown) => toastError(errorMessage(error)))
}

/** The question `signOut` asks. Rendered once, on signed-in pages. */
export function SignOutDialog() {
  const where = () => (unsaved() === 1 ? 'a ticket' : `${unsaved()} tickets`)
  return (
    <ConfirmDialog
      isOpen={unsaved() > 0}
      onClose={() => setUnsaved(0)}
      title="Some text isn't saved yet"
      text={`Your text on ${where()} hasn't reached the server. If you sign out now, it stays in this browser, where others could read it, until you sign in here again.`}
      action="Sign out anyway"
      onConfirm={endSession}
    />
  )
}

/** Reloads the sign-in page, so that no data stays in this tab. */
async function endSession(): Promise<void> {
  await ask(api.console.session.delete())
  removeSavedDrafts(agentId())
  location.assign(signInPage)
}

function countUnsaved(): number {
  return new Set(unsavedDrafts(agentId()).map(({ ticketId }) => ticketId)).size + countMailDrafts(agentId())
}

function agentId(): string {
  return queries.getQueryData<SessionData>(sessionQuery.queryKey)?.agent.id ?? ''
}
