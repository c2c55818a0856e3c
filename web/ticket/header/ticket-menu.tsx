import { useLocation, useNavigate } from '@solidjs/router'
import AlarmClock from 'lucide-solid/icons/alarm-clock'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Eye from 'lucide-solid/icons/eye'
import Link from 'lucide-solid/icons/link'
import Mail from 'lucide-solid/icons/mail'
import Merge from 'lucide-solid/icons/merge'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Trash from 'lucide-solid/icons/trash'
import { createEffect, createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import { toggleFollowing } from '../changes/follow.ts'
import { ChatParts } from '../chat-parts.tsx'
import { forgetDrafts } from '../draft/drafts.ts'
import { blankRows, readListsAgain } from '../list-cache.ts'
import { mergingId, setMergingId } from '../moves/merge-target.ts'
import type { Ticket } from '../ticket-query.ts'

const MergeDialog = lazyDialog(() => import('../moves/merge-dialog.tsx'))
const SnoozeDialog = lazyDialog(() => import('../times/snooze-dialog.tsx'))

interface TicketMenuProps {
  ticket: Ticket
  isFollowing: boolean
  onMarkUnread: () => void
  onDeleted: () => void
}

/** Less frequent actions on a ticket. */
export function TicketMenu(props: TicketMenuProps) {
  const session = useSession()
  const [isSnoozing, setSnoozing] = createSignal(false)
  const [isDeleting, setDeleting] = createSignal(false)
  const [isBlocking, setBlocking] = createSignal(false)
  useSurvivor(() => props.ticket)
  return (
    <>
      <Menu
        placement="bottom-end"
        trigger={(given) => (
          <IconButton {...given} name="Actions for this ticket">
            <Ellipsis />
          </IconButton>
        )}
      >
        <MenuItem icon={<Mail />} onSelect={props.onMarkUnread}>
          Mark as unread
        </MenuItem>
        <MenuItem
          icon={<Eye />}
          keys="f"
          onSelect={() => void toggleFollowing(props.ticket.id, session().agent.id)}
        >
          {props.isFollowing ? 'Following' : 'Follow'}
        </MenuItem>
        <MenuItem icon={<Merge />} keys="m" onSelect={() => setMergingId(props.ticket.id)}>
          Merge into…
        </MenuItem>
        <Show when={!props.ticket.snoozedUntil}>
          <MenuItem icon={<AlarmClock />} keys="s" onSelect={() => setSnoozing(true)}>
            Snooze…
          </MenuItem>
        </Show>
        <MenuItem icon={<Link />} onSelect={() => void copyLink()}>
          Copy link
        </MenuItem>
        <MenuItem
          icon={<ShieldAlert />}
          onSelect={() => void changeTicket(props.ticket.id, { isSpam: !props.ticket.isSpam })}
        >
          {props.ticket.isSpam ? 'Not spam' : 'Mark as spam'}
        </MenuItem>
        <Show when={props.ticket.channel === 'widget'}>
          <ChatParts.BlockItem onSelect={() => setBlocking(true)} />
        </Show>
        <Show when={session().agent.role === 'admin'}>
          <MenuLine />
          <MenuItem icon={<Trash />} isDanger onSelect={() => setDeleting(true)}>
            Delete permanently…
          </MenuItem>
        </Show>
      </Menu>
      <ChatParts.BlockDialog
        ticketId={props.ticket.id}
        isOpen={isBlocking()}
        onClose={() => setBlocking(false)}
      />
      <MergeDialog
        isOpen={mergingId() === props.ticket.id}
        onClose={() => setMergingId(undefined)}
        ticket={props.ticket}
      />
      <SnoozeDialog
        isOpen={isSnoozing()}
        onClose={() => setSnoozing(false)}
        title="Snooze"
        onPick={(snooze) => void changeTicket(props.ticket.id, snooze)}
      />
      <ConfirmDialog
        isOpen={isDeleting()}
        onClose={() => setDeleting(false)}
        title="Delete this ticket permanently?"
        text="Its messages and notes are deleted too. This can't be undone."
        word="delete"
        action="Delete ticket"
        onConfirm={async () => {
          const { id } = props.ticket
          await ask(api.console.tickets({ id }).delete())
          blankRows((row) => row.id === id)
          forgetDrafts(session().agent.id, id)
          props.onDeleted()
          toast('Ticket deleted')
          queries.removeQueries({ queryKey: queryKeys.ticket(id) })
          readListsAgain()
        }}
      />
    </>
  )
}

/** A merged ticket leads to the one that has its messages. */
function useSurvivor(ticket: () => Ticket): void {
  const navigate = useNavigate()
  const location = useLocation()
  createEffect(() => {
    const { id, mergedInto } = ticket()
    if (!mergedInto || !location.pathname.endsWith(id)) return
    navigate(location.pathname.replace(id, mergedInto) + location.search, { replace: true, scroll: false })
  })
}

async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href)
    toast('Link copied')
  } catch {
    toastError("Couldn't copy. Copy the link from the address bar.")
  }
}
