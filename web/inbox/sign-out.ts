import { api, ask } from '../api.ts'
import { sentenceOf } from '../problem.ts'
import { toastError } from '../ui/toaster.tsx'

/** Ends the session. The page is loaded anew, so that nothing of it stays behind in this tab. */
export async function signOut(): Promise<void> {
  try {
    await ask(api.console.session.delete())
    location.assign('/sign-in')
  } catch (error) {
    toastError(sentenceOf(error))
  }
}
