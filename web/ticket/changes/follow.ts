import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { toastError } from '../../ui/toaster.tsx'
import { readListsAgain } from '../list-cache.ts'
import { knownTicket, patchTicket } from '../ticket-query.ts'
import { pushUndo } from './undo.ts'

/** Follows an open ticket, or stops following it: shown at once, with an Undo. */
export async function toggleFollowing(id: string, myId: string): Promise<void> {
  const isFollowing = !knownTicket(id)?.followers.includes(myId)
  const forget = pushUndo({
    label: isFollowing ? 'Following' : 'No longer following',
    undo: () => toggleFollowing(id, myId),
  })
  show(id, myId, isFollowing)
  try {
    const ticket = api.console.tickets({ id })
    await ask(isFollowing ? ticket.follower.put() : ticket.follower.delete())
    readListsAgain()
  } catch (error) {
    forget()
    show(id, myId, !isFollowing)
    toastError(errorMessage(error))
  }
}

function show(id: string, myId: string, isFollowing: boolean): void {
  patchTicket(id, (known) => {
    const others = known.followers.filter((one) => one !== myId)
    return { ...known, followers: isFollowing ? [...others, myId] : others }
  })
}
