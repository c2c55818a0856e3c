import { t } from 'elysia'
import { ACTOR_KINDS } from '../database/tables/audit.ts'
import { MESSAGE_ROLES, SENDING_STATES } from '../database/tables/messages.ts'
import { HELD_BECAUSE } from '../database/tables/scheduled-messages.ts'
import { ACTIVITY_FIELDS, DRAFT_KINDS } from '../database/tables/threads.ts'
import { oneOf } from '../requests/schemas.ts'
import { text } from '../requests/text.ts'
import { MOST_MESSAGE_LENGTH } from '../tickets/messages.ts'
import { channel, messageText, status, subject, ticket, time } from '../tickets/schemas.ts'

// A ticket's thread, and what an agent writes on it.

const strict = { additionalProperties: false }
const id = t.String({ maxLength: 64 })

const createdAt = time('When it was written.')
const author = { agentId: t.String(), agentName: t.String() }

const { messages: _messages, ...withoutMessages } = ticket.properties
/** A ticket as the inbox shows it above its thread. */
export const inboxTicket = t.Object({
  ...withoutMessages,
  isSpam: t.Boolean(),
  /** Increases by one with each effective change. */
  version: t.Integer(),
})
export const inboxChange = t.Object({ subject: t.Optional(subject), isSpam: t.Optional(t.Boolean()) }, strict)

const messageEntry = t.Object({
  kind: t.Literal('message'),
  id: t.String(),
  role: oneOf(MESSAGE_ROLES, 'Who wrote it.'),
  text: t.String(),
  agentId: t.Optional(t.String()),
  agentName: t.Optional(t.String()),
  sending: t.Optional(oneOf(SENDING_STATES, 'State of its delivery to the customer.')),
  sendError: t.Optional(t.String()),
  createdAt,
})
export const noteEntry = t.Object({
  kind: t.Literal('note'),
  id: t.String(),
  text: t.String(),
  ...author,
  createdAt,
})
const changedValue = t.Union([t.String(), t.Array(t.String()), t.Boolean()])
const activityEntry = t.Object({
  kind: t.Literal('activity'),
  id: t.String(),
  actor: t.Object({
    kind: oneOf(ACTOR_KINDS, 'Kind of actor.'),
    id: t.Optional(t.String()),
    name: t.String(),
  }),
  /** `assignedTo` has agent ids, and an empty string for unassigned. */
  changes: t.Array(
    t.Object({ field: oneOf(ACTIVITY_FIELDS, 'What changed.'), from: changedValue, to: changedValue }),
  ),
  createdAt,
})

const waitingReply = t.Object({
  id: t.String(),
  /** Absent when an API key wrote it. */
  agentId: t.Optional(t.String()),
  agentName: t.String(),
  text: t.String(),
  thenStatus: t.Optional(status),
  sendAt: time('When it is sent, unless it is held.'),
  isHeld: t.Boolean(),
  heldBecause: t.Optional(oneOf(HELD_BECAUSE, 'Why it is held.')),
})

const draft = t.Object({
  kind: oneOf(DRAFT_KINDS, 'Reply or note.'),
  text: t.String(),
  savedAt: time('When it was saved.'),
})

export const thread = t.Object({
  ticket: inboxTicket,
  timeline: t.Array(t.Union([messageEntry, noteEntry, activityEntry])),
  /** The agent's own drafts, at most one of each kind. */
  drafts: t.Array(draft),
  waiting: t.Array(waitingReply),
  readUpTo: t.Union([t.String(), t.Null()]),
})

export const readMark = t.Object({ messageId: id }, strict)
export const newDraft = t.Object(
  {
    kind: oneOf(DRAFT_KINDS, 'Reply or note.'),
    text: text({ minLength: 0, maxLength: MOST_MESSAGE_LENGTH }),
    base: t.Optional(t.Union([time('When the version that this was written from was saved.'), t.Null()])),
  },
  strict,
)
export const savedDraft = t.Object({ savedAt: time('When it was saved.') })
export const noteId = t.Object({ id: t.String(), noteId: t.String() })
export const noteText = t.Object({ text: messageText }, strict)

export const customerPanel = t.Object({
  id: t.String(),
  name: t.String(),
  email: t.Optional(t.String()),
  createdAt: time('When they first wrote.'),
  /** The newest ones, by last activity. */
  tickets: t.Array(
    t.Object({
      id: t.String(),
      subject: t.String(),
      status,
      isSpam: t.Boolean(),
      channel,
      updatedAt: time('Last activity.'),
    }),
  ),
  totalTickets: t.Integer(),
})
