import { createSignal } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { errorMessage } from '../api/api-problem.ts'
import { queries } from '../api/queries.ts'
import { type SessionData, sessionQuery } from '../api/session.ts'
import { ConfirmDialog } from '../forms/confirm-dialog.tsx'
import { forgetSavedDrafts, unsavedDrafts } from '../ticket/composer/stored-draft.ts'
import { toastError } from '../ui/toaster.tsx'

/** What was typed last is on the server within that time, when the server is there. */
const LONGEST_SAVE_MS = 1_500
const LOOK_EVERY_MS = 50

const [unsaved, setUnsaved] = createSignal(0)

/** Ends the session, after a question when the server does not have all that was written. */
export async function signOut(): Promise<void> {
  for (const end = Date.now() + LONGEST_SAVE_MS; countUnsaved() > 0 && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  if (countUnsaved() > 0) return void setUnsaved(countUnsaved())
  await leave().catch((error: unknown) => toastError(errorMessage(error)))
}

/** Stands once, where somebody is signed in. */
export function SignOutDialog() {
  const where = () => (unsaved() === 1 ? 'a ticket' : `${unsaved()} tickets`)
  return (
    <ConfirmDialog
      isOpen={unsaved() > 0}
      onClose={() => setUnsaved(0)}
      title="Some text is not saved yet"
      text={`What you wrote on ${where()} has not reached the server. If you sign out now, it stays in this browser, where others may read it, until you sign in here again.`}
      action="Sign out anyway"
      onConfirm={leave}
    />
  )
}

/** The page is loaded anew, so that nothing of it stays behind in this tab. */
async function leave(): Promise<void> {
  await ask(api.console.session.delete())
  forgetSavedDrafts(agentId())
  location.assign('/sign-in')
}

function countUnsaved(): number {
  return new Set(unsavedDrafts(agentId()).map(({ ticketId }) => ticketId)).size
}

function agentId(): string {
  return queries.getQueryData<SessionData>(sessionQuery.queryKey)?.agent.id ?? ''
}
