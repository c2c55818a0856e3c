import { Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { UnverifiedMark } from '../customer/unverified-mark.tsx'
import { ThreadParts } from '../thread/thread-parts.tsx'
import { shortId } from '../ticket-names.ts'
import type { Ticket } from '../ticket-query.ts'
import { AssigneePicker, StatusPicker, TagsPicker } from './pickers.tsx'
import { PresenceLine } from './presence-line.tsx'
import { SubjectField } from './subject-field.tsx'
import './ticket-header.css'

import ChevronDown from 'lucide-solid/icons/chevron-down'
import ChevronLeft from 'lucide-solid/icons/chevron-left'
import ChevronUp from 'lucide-solid/icons/chevron-up'
import PanelRight from 'lucide-solid/icons/panel-right'

export type OpenPicker = 'status' | 'assignee' | 'tags' | undefined

interface TicketHeaderProps {
  ticket: Ticket
  /** Ids of the agents who follow it. */
  followers: readonly string[]
  openPicker: OpenPicker
  onOpenPicker: (picker: OpenPicker) => void
  onClose: () => void
  onNext: () => void
  onPrevious: () => void
  onOpenPanel: () => void
  onMarkUnread: () => void
}

/** The subject, status, assignee and tags of the ticket, and who else has it open. */
export function TicketHeader(props: TicketHeaderProps) {
  const session = useSession()
  return (
    <header class="ticket-header">
      <div class="ticket-header-top">
        <IconButton class="ticket-header-back" name="Back to list" keys="u" onClick={props.onClose}>
          <ChevronLeft />
        </IconButton>
        <SubjectField ticket={props.ticket} />
        <div class="ticket-header-tools">
          <IconButton name="Previous ticket" keys="k" onClick={props.onPrevious}>
            <ChevronUp />
          </IconButton>
          <IconButton name="Next ticket" keys="j" onClick={props.onNext}>
            <ChevronDown />
          </IconButton>
          <ThreadParts.TicketMenu
            ticket={props.ticket}
            isFollowing={props.followers.includes(session().agent.id)}
            onMarkUnread={props.onMarkUnread}
            onDeleted={props.onClose}
          />
          <IconButton name="Toggle customer panel" keys="]" onClick={props.onOpenPanel}>
            <PanelRight />
          </IconButton>
        </div>
      </div>
      <div class="ticket-header-facts">
        <StatusPicker
          ticket={props.ticket}
          isOpen={props.openPicker === 'status'}
          onOpenChange={(isOpen) => props.onOpenPicker(isOpen ? 'status' : undefined)}
        />
        <AssigneePicker
          ticket={props.ticket}
          isOpen={props.openPicker === 'assignee'}
          onOpenChange={(isOpen) => props.onOpenPicker(isOpen ? 'assignee' : undefined)}
        />
        <TagsPicker
          ticket={props.ticket}
          isOpen={props.openPicker === 'tags'}
          onOpenChange={(isOpen) => props.onOpenPicker(isOpen ? 'tags' : undefined)}
        />
        <span class="ticket-header-id">
          <code title={props.ticket.id}>{shortId(props.ticket.id)}</code>
          <CopyButton text={props.ticket.id} name="Copy ticket ID" />
        </span>
        <Show when={props.ticket.customer.unverified}>
          <span class="ticket-header-customer">
            <span class="cut">{props.ticket.customer.name}</span> <UnverifiedMark />
          </span>
        </Show>
        <ThreadParts.Followers ticketId={props.ticket.id} followers={props.followers} />
        <PresenceLine ticketId={props.ticket.id} />
      </div>
    </header>
  )
}

/** The last six characters: the first ones encode the time and are alike. */
