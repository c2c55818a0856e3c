import MessageSquareText from 'lucide-solid/icons/message-square-text'
import { createMemo } from 'solid-js'
import { plainText } from '../../../server/formatting/plain-text.ts'
import { type SessionData, useSession } from '../../api/session.ts'
import { type SavedReply, useSavedReplies } from '../../api/workspace.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Picker, type PickerOption } from '../../ui/picker.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { type FilledTicket, fillIn, unknownIn } from './variables.ts'

interface SavedReplyPickerProps {
  ticket: FilledTicket
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  /** The text with its variables filled in, and the saved reply, for what it does beside. */
  onInsert: (text: string, reply: SavedReply) => void
}

const GREETING = /^\s*(hi|hey|hello|dear|good (morning|afternoon|evening))\b[^\n,!.]*[\n,!.]\s*/i

/** Searches the saved replies and inserts one. */
export function SavedReplyPicker(props: SavedReplyPickerProps) {
  const replies = useSavedReplies()
  const session = useSession()
  const options = createMemo<PickerOption[]>(() =>
    replies().map(({ id, name, text }) => ({
      value: id,
      label: name,
      detail: withoutGreeting(plainText(fillIn(text, props.ticket, session()), 'text')),
    })),
  )
  return (
    <Picker
      label="Saved replies"
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      options={options()}
      selected={[]}
      onPick={(id) => {
        const reply = replies().find((one) => one.id === id)
        if (reply) props.onInsert(filledReply(reply.text, props.ticket, session()), reply)
      }}
      emptyText={replies().length ? 'No results' : 'No saved replies yet. Add them in settings.'}
      trigger={(given) => (
        <IconButton {...given} name="Saved replies" keys="/" size="small">
          <MessageSquareText />
        </IconButton>
      )}
    />
  )
}

/** All begin alike: what tells them apart comes after the greeting. */
function withoutGreeting(text: string): string {
  return (text.replace(GREETING, '').trim() || text).replace(/\s+/g, ' ')
}

/** A saved reply with its variables filled in. Warns about unknown variables, before a customer reads them. */
export function filledReply(text: string, ticket: FilledTicket, session: SessionData): string {
  const unknown = unknownIn(text)
  if (unknown.length > 0) {
    toastError(`Unknown variable: ${unknown.join(', ')}. Replace it before you send.`)
  }
  return fillIn(text, ticket, session)
}
