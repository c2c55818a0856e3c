import { type Accessor, createSignal } from 'solid-js'
import { createId, timeOfId } from '../../api/create-id.ts'
import { toServerTime } from '../../api/server-clock.ts'
import { readStored, store } from '../../browser/local-storage.ts'
import type { DraftAttachment } from '../draft/draft-content.ts'
import type { Recipients } from '../recipients/address-list.ts'
import type { TicketStatus } from '../ticket-query.ts'

/** An email that an agent writes outside of a ticket's composer: a new ticket, or a forwarded message. */
interface OutgoingMail extends Recipients {
  /** Id under which exactly this message was sent; empty after a change. Sending again under the same id sends only once. */
  id: string
  subject: string
  text: string
  /** Uploads of the agent. */
  attachments: DraftAttachment[]
  /** Empty for the default mailbox. */
  mailboxId: string
  /** Agent id; empty for no one. */
  assignedTo: string
  status: TicketStatus
}

export interface MailDraft {
  mail: Accessor<OutgoingMail>
  change: (part: Partial<OutgoingMail>) => void
  /** The id to send it under. */
  idToSend: () => string
  /** Removes it from the browser. */
  discard: () => void
}

const PREFIX = 'bellhop.outgoing.'
/** The server accepts ids created within a day. */
const ID_USABLE_MS = 12 * 60 * 60_000
const EMPTY = {
  id: '',
  to: [],
  cc: [],
  subject: '',
  text: '',
  attachments: [],
  mailboxId: '',
  assignedTo: '',
}

/** A draft that this browser keeps until it is sent or discarded. `name` tells an agent's drafts apart. */
export function createMailDraft(
  agentId: string,
  name: string,
  initial: Partial<OutgoingMail> = {},
): MailDraft {
  const key = `${PREFIX}${agentId}.${name}`
  const empty: OutgoingMail = { ...EMPTY, status: 'open', ...initial }
  const [mail, setMail] = createSignal(readStored(key, isMail, empty))

  function change(part: Partial<OutgoingMail>): void {
    const changed = { ...mail(), id: '', ...part }
    setMail(changed)
    if (isEmpty(changed)) remove(key)
    else store(key, changed)
  }

  return {
    mail,
    change,
    idToSend() {
      const now = toServerTime(Date.now())
      const { id } = mail()
      if (id !== '' && now - timeOfId(id) < ID_USABLE_MS) return id
      const created = createId('msg', now)
      change({ id: created })
      return created
    },
    discard() {
      remove(key)
      setMail(empty)
    },
  }
}

/** Whether nothing would be lost. */
export function isEmpty({ to, cc, subject, text, attachments }: OutgoingMail): boolean {
  const isBlank = subject.trim() === '' && text.trim() === ''
  return isBlank && to.length === 0 && cc.length === 0 && attachments.length === 0
}

/** How many of the agent's drafts this browser keeps. */
export function countMailDrafts(agentId: string): number {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${agentId}.`)).length
  } catch {
    return 0
  }
}

function remove(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // Without storage, there is nothing to remove.
  }
}

function isMail(value: unknown): value is OutgoingMail {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['id', 'subject', 'text', 'mailboxId', 'assignedTo', 'status']
  const isText = (name: string) =>
    typeof Object.entries(value).find(([key]) => key === name)?.[1] === 'string'
  if (!texts.every(isText) || !('to' in value && 'cc' in value && 'attachments' in value)) return false
  return isPeople(value.to) && isPeople(value.cc) && Array.isArray(value.attachments)
}

function isPeople(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one?.address === 'string' && typeof one.name === 'string')
  )
}
