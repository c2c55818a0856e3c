import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { readListsAgain } from '../list-cache.ts'
import { patchTicket, readTicketAgain } from '../ticket-query.ts'

const { tickets, moves } = api.console

type Move = Answer<ReturnType<typeof moves>['undo']['post']>
export type MergePreview = Answer<ReturnType<ReturnType<typeof tickets>['merge']>['get']>

/** Merges one ticket into another one. */
export async function mergeTickets(into: string, from: string): Promise<Move> {
  const move = await ask(tickets({ id: into }).merge.post({ from }))
  readAgain(move)
  return move
}

/** Opens a new ticket with a message, or with all from it on. */
export async function splitTicket(
  id: string,
  split: { message: string; andLater: boolean; subject: string },
): Promise<Move> {
  const move = await ask(tickets({ id }).split.post(split))
  readAgain(move)
  return move
}

const UNDONE = {
  merge: 'The tickets are separate again',
  split: 'The messages are back',
  customer: 'The customers are separate again',
}

/** Undoes a merge or split, and says so or why it failed. */
export async function undoMove(id: string): Promise<void> {
  try {
    const move = await ask(moves({ id }).undo.post())
    // Opened before it is read again, it would still lead to the other one.
    patchTicket(move.from, ({ ticket: { mergedInto: _, ...ticket }, ...known }) => ({ ...known, ticket }))
    readAgain(move)
    toast(UNDONE[move.kind])
  } catch (error) {
    toastError(errorMessage(error))
  }
}

function readAgain({ from, into }: Move): void {
  for (const id of [from, into]) void readTicketAgain(id)
  void queries.invalidateQueries({ queryKey: queryKeys.customers })
  readListsAgain()
}
