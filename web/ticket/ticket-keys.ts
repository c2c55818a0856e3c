import type { KeyAction } from '../keyboard/keys.ts'
import { changeTicket } from './changes/change-ticket.ts'
import type { DraftKind } from './composer/stored-draft.ts'
import type { OpenPicker } from './header/ticket-header.tsx'
import type { Ticket } from './ticket-query.ts'

interface TicketKeysInput {
  ticket: () => Ticket
  myId: string
  /** False while the person is on the way to another ticket, whose keys these are then. */
  isMeant: () => boolean
  /** Opens the next ticket. Returns what leads back to this one. */
  onNext: () => () => void
  onPick: (picker: OpenPicker) => void
  onWrite: (kind: DraftKind) => void
}

/** The keys of the open ticket. */
export function ticketKeys({ ticket, myId, isMeant, onNext, onPick, onWrite }: TicketKeysInput): KeyAction[] {
  const { id, status, assignedTo } = ticket()
  const resolve = () => void changeTicket(id, { status: status === 'resolved' ? 'open' : 'resolved' })
  const actions: Omit<KeyAction, 'section'>[] = [
    { id: 'ticket.reply', label: 'Reply', keys: ['r'], run: () => onWrite('reply') },
    { id: 'ticket.note', label: 'Write an internal note', keys: ['n'], run: () => onWrite('note') },
    { id: 'ticket.assign', label: 'Assign…', keys: ['a'], run: () => onPick('assignee') },
    {
      id: 'ticket.assign-me',
      label: 'Assign to me',
      keys: ['i'],
      run: () => assignedTo !== myId && void changeTicket(id, { assignedTo: myId }),
    },
    { id: 'ticket.tag', label: 'Tags…', keys: ['t'], run: () => onPick('tags') },
    { id: 'ticket.resolve', label: status === 'resolved' ? 'Reopen' : 'Resolve', keys: ['e'], run: resolve },
    {
      id: 'ticket.resolve-next',
      label: 'Resolve and next',
      keys: ['E'],
      run: () => {
        // The next one first: where the list is then, this one may be gone from it.
        const goBack = onNext()
        if (status !== 'resolved') void changeTicket(id, { status: 'resolved' }, goBack)
      },
    },
    {
      id: 'ticket.pending',
      label: status === 'pending' ? 'Set to open' : 'Set to pending',
      keys: ['p'],
      run: () => void changeTicket(id, { status: status === 'pending' ? 'open' : 'pending' }),
    },
  ]
  return actions.map((action) => ({ ...action, section: 'Ticket', isEnabled: isMeant }))
}
