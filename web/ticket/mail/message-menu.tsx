import { createSignal, Show } from 'solid-js'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { isChat } from '../ticket-names.ts'
import { knownTicket, type MessageEntry, type Ticket } from '../ticket-query.ts'
import { originalPath } from './mail-body.tsx'
import type { MailView } from './mail-view.ts'
import './message-recipients.css'

import Copy from 'lucide-solid/icons/copy'
import Download from 'lucide-solid/icons/download'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import FileText from 'lucide-solid/icons/file-text'
import Forward from 'lucide-solid/icons/forward'
import Image from 'lucide-solid/icons/image'
import Pencil from 'lucide-solid/icons/pencil'
import Split from 'lucide-solid/icons/split'
import Undo from 'lucide-solid/icons/undo-2'

const ForwardDialog = lazyDialog(() => import('../outgoing/forward-dialog.tsx'))
const SplitDialog = lazyDialog(() => import('../moves/split-dialog.tsx'))
const loadDialogs = () => import('../telegram/change-dialogs.tsx')
const EditDialog = lazyDialog(async () => ({ default: (await loadDialogs()).EditDialog }))
const TakeBackDialog = lazyDialog(async () => ({ default: (await loadDialogs()).TakeBackDialog }))

interface MessageMenuProps {
  message: MessageEntry
  ticket: Ticket
  view: MailView
}

/** What can be done with one message. */
export function MessageMenu(props: MessageMenuProps) {
  const isReceivedMail = () => props.message.email !== undefined && props.message.role === 'customer'
  const [isForwarding, setForwarding] = createSignal(false)
  const [wasForwarding, setWasForwarding] = createSignal(false)
  const [isEditing, setEditing] = createSignal(false)
  const [isTakingBack, setTakingBack] = createSignal(false)
  const [splitting, setSplitting] = createSignal<'message' | 'later'>()
  useKeys(() =>
    actionsIn(
      'Ticket',
      isLastOfSeveral(props)
        ? [
            {
              id: 'ticket.split',
              label: "New ticket from the customer's last message",
              keys: [],
              run: () => setSplitting('message'),
            },
          ]
        : [],
    ),
  )
  function forward(): void {
    setWasForwarding(true)
    setForwarding(true)
  }
  return (
    <div class="message-menu">
      <Menu
        placement="bottom-end"
        trigger={(given) => (
          <IconButton {...given} name="Actions for this message" size="small">
            <Ellipsis />
          </IconButton>
        )}
      >
        <MenuItem icon={<Forward />} onSelect={forward}>
          Forward…
        </MenuItem>
        <Show when={props.message.canEdit}>
          <MenuItem icon={<Pencil />} onSelect={() => setEditing(true)}>
            Edit…
          </MenuItem>
        </Show>
        <Show when={props.message.canTakeBack}>
          <MenuItem icon={<Undo />} onSelect={() => setTakingBack(true)}>
            Take back…
          </MenuItem>
        </Show>
        <Show when={props.message.html}>
          <MenuItem icon={<FileText />} onSelect={() => props.view.setFormatted(!props.view.isFormatted())}>
            {props.view.isFormatted() ? 'Show plain text' : 'Show formatting'}
          </MenuItem>
        </Show>
        <Show when={props.view.isBlocking()}>
          <MenuItem icon={<Image />} onSelect={props.view.showImages}>
            Show images
          </MenuItem>
        </Show>
        <Show when={isReceivedMail()}>
          <MenuItem icon={<Download />} onSelect={() => download(props)}>
            Download original
          </MenuItem>
        </Show>
        <Show when={!isChat(props.ticket.channel)}>
          <MenuItem icon={<Split />} onSelect={() => setSplitting('message')}>
            New ticket from this message
          </MenuItem>
          <MenuItem icon={<Split />} onSelect={() => setSplitting('later')}>
            New ticket from here
          </MenuItem>
        </Show>
        <MenuItem icon={<Copy />} onSelect={() => void copyText(props.message.text)}>
          Copy text
        </MenuItem>
      </Menu>
      <Show when={wasForwarding()}>
        <ForwardDialog
          isOpen={isForwarding()}
          onClose={() => setForwarding(false)}
          message={props.message}
          ticket={props.ticket}
        />
      </Show>
      <SplitDialog
        isOpen={splitting() !== undefined}
        onClose={() => setSplitting(undefined)}
        message={props.message}
        ticket={props.ticket}
        andLater={splitting() === 'later'}
      />
      <EditDialog
        isOpen={isEditing()}
        onClose={() => setEditing(false)}
        message={props.message}
        ticketId={props.ticket.id}
      />
      <TakeBackDialog
        isOpen={isTakingBack()}
        onClose={() => setTakingBack(false)}
        message={props.message}
        ticketId={props.ticket.id}
      />
    </div>
  )
}

/** Whether the message is the customer's last one, and may leave the ticket. */
function isLastOfSeveral({ ticket, message }: MessageMenuProps): boolean {
  if (isChat(ticket.channel)) return false
  const timeline = knownTicket(ticket.id)?.timeline ?? []
  const last = timeline.findLast((entry) => entry.kind === 'message' && entry.role === 'customer')
  return last?.id === message.id && timeline.some(({ kind, id }) => kind === 'message' && id !== last.id)
}

function download({ ticket, message }: MessageMenuProps): void {
  const link = document.createElement('a')
  link.href = originalPath(ticket.id, message.id)
  link.download = ''
  link.click()
}
