import { type Accessor, createSignal } from 'solid-js'
import type { api } from '../../api/api.ts'
import { createId, timeOfId } from '../../api/create-id.ts'
import { toServerTime } from '../../api/server-clock.ts'
import { readStored, removeStored, store, storedKeys } from '../../browser/local-storage.ts'
import type { DraftAttachment } from '../draft/draft-content.ts'
import type { Recipients } from '../recipients/address-list.ts'
import type { TicketStatus } from '../ticket-query.ts'
import { PREFIX } from './mail-storage.ts'

/** An email that an agent writes outside of a ticket's composer: a new ticket, or a forwarded message. */
export interface OutgoingMail extends Recipients {
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
  /** When a new ticket is sent that was to be sent later, by the server's clock (ISO 8601). Without it, Send sends it. */
  sendAt?: string | undefined
}

export interface MailDraft {
  mail: Accessor<OutgoingMail>
  change: (part: Partial<OutgoingMail>) => void
  /** The id to send it under. */
  idToSend: () => string
  /** Removes it from the browser. */
  discard: () => void
}

/** A new ticket that the server doesn't have yet. */
export interface UnsentTicket {
  request: NewTicketRequest
  mail: OutgoingMail
}

type NewTicketRequest = Parameters<typeof api.console.tickets.post>[0]

const UNSENT = '.unsent.'
/** Drafts of new tickets that make room for one that was undone. */
const ASIDE = '.new.'
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
    if (isEmpty(changed)) removeStored(key)
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
      removeStored(key)
      setMail(empty)
    },
  }
}

/** Puts a new ticket that was undone into its draft. Another one that is being written comes back after it. */
export function putBackMail(agentId: string, mail: OutgoingMail): void {
  const key = `${PREFIX}${agentId}.new`
  const written = readStored<OutgoingMail | null>(key, isMail, null)
  if (written && !isEmpty(written)) store(`${PREFIX}${agentId}${ASIDE}${Date.now()}`, written)
  store(key, mail)
}

/** Takes back what `putBackMail` has put aside, if the draft of a new ticket is empty. */
export function takeAside(agentId: string): void {
  const key = `${PREFIX}${agentId}.new`
  if (readStored<OutgoingMail | null>(key, isMail, null)) return
  const [aside] = storedKeys(`${PREFIX}${agentId}${ASIDE}`).sort()
  const mail = aside === undefined ? null : readStored<OutgoingMail | null>(aside, isMail, null)
  if (aside === undefined || !mail) return
  store(key, mail)
  removeStored(aside)
}

export function storeUnsent(agentId: string, ticket: UnsentTicket): void {
  store(`${PREFIX}${agentId}${UNSENT}${ticket.request.messageId}`, ticket)
}

export function removeUnsent(agentId: string, messageId: string): void {
  removeStored(`${PREFIX}${agentId}${UNSENT}${messageId}`)
}

/** Of an earlier page. */
export function unsentTickets(agentId: string): UnsentTicket[] {
  return storedKeys(`${PREFIX}${agentId}${UNSENT}`).flatMap(
    (key) => readStored<UnsentTicket | null>(key, isUnsent, null) ?? [],
  )
}

/** Whether nothing would be lost. */
export function isEmpty({ to, cc, bcc = [], subject, text, attachments }: OutgoingMail): boolean {
  const isBlank = subject.trim() === '' && text.trim() === ''
  return isBlank && [to, cc, bcc, attachments].every((list) => list.length === 0)
}

function isMail(value: unknown): value is OutgoingMail {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['id', 'subject', 'text', 'mailboxId', 'assignedTo', 'status']
  const isText = (name: string) =>
    typeof Object.entries(value).find(([key]) => key === name)?.[1] === 'string'
  if (!texts.every(isText) || !('to' in value && 'cc' in value && 'attachments' in value)) return false
  const bcc = 'bcc' in value ? value.bcc : []
  return isPeople(value.to) && isPeople(value.cc) && isPeople(bcc ?? []) && Array.isArray(value.attachments)
}

function isUnsent(value: unknown): value is UnsentTicket {
  if (typeof value !== 'object' || value === null || !('request' in value && 'mail' in value)) return false
  const { request } = value
  const isRequest = typeof request === 'object' && request !== null && 'messageId' in request
  return isRequest && typeof request.messageId === 'string' && isMail(value.mail)
}

function isPeople(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((one) => typeof one?.address === 'string' && typeof one.name === 'string')
  )
}
