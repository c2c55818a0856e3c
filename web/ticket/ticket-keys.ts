import { actionsIn, type KeyAction } from '../keyboard/keys.ts'
import { changeTicket } from './changes/change-ticket.ts'
import type { DraftKind } from './draft/draft-storage.ts'
import type { OpenPicker } from './header/ticket-header.tsx'
import type { Ticket } from './ticket-query.ts'

interface TicketKeysInput {
  ticket: () => Ticket
  followers: () => readonly string[]
  myId: string
  /** False while another ticket is loading: keys then act on that one. */
  isTarget: () => boolean
  /** Opens the next ticket. Returns how to go back to this one. */
  onNext: () => () => void
  onPick: (picker: OpenPicker) => void
  onWrite: (kind: DraftKind) => void
}

/** The keys of the open ticket. */
export function ticketKeys({
  ticket,
  followers,
  myId,
  isTarget,
  onNext,
  onPick,
  onWrite,
}: TicketKeysInput): KeyAction[] {
  const { id, status, assignedTo } = ticket()
  const actions = [
    ...actionsIn('Reply', [
      { id: 'ticket.reply', label: 'Reply', keys: ['r'], run: () => onWrite('reply') },
      { id: 'ticket.note', label: 'Internal note', keys: ['n'], run: () => onWrite('note') },
    ]),
    ...actionsIn('Ticket', [
      { id: 'ticket.assign', label: 'Assign…', keys: ['a'], run: () => onPick('assignee') },
      {
        id: 'ticket.assign-me',
        label: 'Assign to me',
        keys: ['i'],
        run: () => assignedTo !== myId && void changeTicket(id, { assignedTo: myId }),
      },
      { id: 'ticket.tag', label: 'Tags…', keys: ['t'], run: () => onPick('tags') },
      {
        id: 'ticket.resolve',
        label: status === 'resolved' ? 'Reopen' : 'Resolve',
        keys: ['e'],
        run: () => void changeTicket(id, { status: status === 'resolved' ? 'open' : 'resolved' }),
      },
      {
        id: 'ticket.resolve-next',
        label: 'Resolve and next',
        keys: ['E'],
        run: () => {
          // Moves on first: a resolved ticket may leave the list.
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
      {
        id: 'ticket.merge',
        label: 'Merge into…',
        keys: ['m'],
        run: () => void import('./moves/merge-target.ts').then(({ setMergingId }) => setMergingId(id)),
      },
      {
        id: 'ticket.follow',
        label: followers().includes(myId) ? 'Unfollow' : 'Follow',
        keys: ['f'],
        run: () =>
          void import('./changes/follow.ts').then(({ toggleFollowing }) => toggleFollowing(id, myId)),
      },
    ]),
  ]
  return actions.map((action) => ({ ...action, isEnabled: isTarget }))
}
