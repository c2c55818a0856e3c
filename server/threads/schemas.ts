import { t } from 'elysia'
import { attachmentIds, attachmentList, inboxAttachmentList } from '../attachments/schemas.ts'
import { NO_EMAIL_REASONS, PROBLEM_EFFECTS, PROBLEM_FIXES } from '../channels/channel.ts'
import { CHANNELS } from '../channels/kinds.ts'
import { ACTOR_KINDS } from '../database/tables/audit.ts'
import { MESSAGE_AUTHORS, MESSAGE_ROLES, SENDING_STATES } from '../database/tables/messages.ts'
import { HELD_BECAUSE } from '../database/tables/scheduled-messages.ts'
import { RECIPIENT_STATES } from '../database/tables/sends.ts'
import { ACTIVITY_FIELDS, DRAFT_KINDS } from '../database/tables/threads.ts'
import { shownTexts } from '../requests/metadata.ts'
import { described, oneOf, orNull } from '../requests/schemas.ts'
import { openSuggestion } from '../suggestions/schemas.ts'
import { text } from '../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../tickets/messages.ts'
import {
  actions,
  format,
  forwardMeta,
  snoozeNote,
  subject,
  textOrFiles,
  ticket,
  time,
} from '../tickets/schemas.ts'

// A ticket's thread, and an agent's notes and drafts on it.

const strict = { additionalProperties: false }
const id = t.String({ maxLength: 64 })

const createdAt = time('When it was written.')
const author = { agentId: t.String(), agentName: t.String() }

const { messages: _messages, customer, ...withoutMessages } = ticket.properties
/** A ticket as the inbox shows it above its thread. */
export const inboxTicket = t.Object({
  ...withoutMessages,
  customer: t.Object({ ...customer.properties, userId: t.String() }),
  isSpam: t.Boolean(),
  /** Increases by one with each effective change. */
  version: t.Integer(),
})
export const inboxChange = t.Object({ subject: t.Optional(subject), isSpam: t.Optional(t.Boolean()) }, strict)

const address = t.Object({ name: t.String(), address: t.String() })
const recipients = { to: t.Array(address), cc: t.Array(address), bcc: t.Optional(t.Array(address)) }

const HTML_KINDS = ['plain', 'formatted'] as const
/** To, Cc, and Bcc together. A mail can have thousands; the rest is counted. */
export const MAX_SHOWN_ADDRESSES = 50

/** The people on a message that arrived or left by email. */
const email = t.Object({
  from: address,
  /** Who wrote it, when a form or a group sent it in their name. */
  writer: t.Optional(address),
  to: t.Array(address),
  cc: t.Optional(t.Array(address)),
  /** Of a message that an agent sent. */
  bcc: t.Optional(t.Array(address)),
  /** Its sender's domain did not send it, as the mailbox's own server found. */
  isUnverified: t.Optional(t.Boolean()),
  /** Further recipients, which are not listed. */
  others: t.Optional(t.Integer()),
  /** When it is not `from`. */
  replyTo: t.Optional(t.Array(address)),
  subject: t.String(),
  /** The message that this one forwards. */
  forwardOf: t.Optional(t.String()),
})

/** Fields of messages that arrived in a chat of a messenger. */
const chat = t.Object({
  forwardedFrom: t.Optional(t.String()),
  /** `messageId` is null when the message it replies to is not in the ticket. */
  repliesTo: t.Optional(t.Object({ messageId: orNull(t.String()), text: t.String() })),
  missingFiles: t.Optional(
    t.Array(t.Object({ name: t.String(), size: orNull(t.Integer()), reason: t.String() })),
  ),
})

const messageEntry = t.Object({
  kind: t.Literal('message'),
  id: t.String(),
  role: oneOf(MESSAGE_ROLES, 'Who wrote it.'),
  text: t.String(),
  format,
  attachments: inboxAttachmentList,
  /** Absent for the ticket's customer and for agents. */
  author: t.Optional(oneOf(MESSAGE_AUTHORS, 'Who wrote it.')),
  authorName: t.Optional(t.String()),
  /** Written by a program. */
  isAutomatic: t.Optional(t.Boolean()),
  email: t.Optional(email),
  chat: t.Optional(chat),
  /** Absent without HTML. `formatted` when it shows more than the text: pictures, tables, colors. */
  html: t.Optional(oneOf(HTML_KINDS, 'What the HTML is good for.')),
  hasRemoteImages: t.Optional(t.Boolean()),
  /** Its quoted text is loaded on demand. */
  hasQuote: t.Optional(t.Boolean()),
  agentId: t.Optional(t.String()),
  agentName: t.Optional(t.String()),
  sending: t.Optional(oneOf(SENDING_STATES, 'State of its delivery to the customer.')),
  sendError: t.Optional(t.String()),
  /** Recipients who did not get it, in the words of the mail server. */
  missed: t.Optional(
    t.Array(
      t.Object({
        address: t.String(),
        state: oneOf(RECIPIENT_STATES, 'What became of it.'),
        detail: t.String(),
      }),
    ),
  ),
  retryAt: t.Optional(time('When it is sent again.')),
  editedAt: t.Optional(time('When its text was last changed.')),
  /** Texts before the one it has now. */
  edits: t.Optional(t.Integer()),
  takenBackAt: t.Optional(time('When an agent took it back.')),
  /** Of a message that a chat shows. */
  canEdit: t.Optional(t.Boolean()),
  canTakeBack: t.Optional(t.Boolean()),
  createdAt,
})
export const noteEntry = t.Object({
  kind: t.Literal('note'),
  id: t.String(),
  text: t.String(),
  format,
  attachments: inboxAttachmentList,
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
  /** `assignedTo` has agent ids, and an empty string for unassigned; `customer` has names. */
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
  format,
  attachments: inboxAttachmentList,
  recipients: t.Optional(t.Object(recipients)),
  /** What is done to the ticket with it. */
  actions: t.Optional(actions),
  /** Its author chose the time. */
  isLater: t.Optional(t.Literal(true)),
  sendAt: time('When it is sent, unless it is held.'),
  isHeld: t.Boolean(),
  heldBecause: t.Optional(oneOf(HELD_BECAUSE, 'Why it is held.')),
})

const draft = t.Object({
  kind: oneOf(DRAFT_KINDS, 'Reply or note.'),
  text: t.String(),
  attachments: inboxAttachmentList,
  recipients: t.Optional(t.Object(recipients)),
  actions: t.Optional(actions),
  sendAt: t.Optional(time('When its reply is to be sent, if that was scheduled before it was edited.')),
  savedAt: time('When it was saved.'),
})

export const replyProblem = t.Object({
  reason: t.String(),
  effect: oneOf(PROBLEM_EFFECTS, 'What becomes of a reply.'),
  setting: t.Optional(oneOf(CHANNELS, 'Where an administrator can change that.')),
  /** The mailbox or bot that messages wait for. */
  fix: t.Optional(t.Object({ id: t.String(), by: oneOf(PROBLEM_FIXES, 'What ends that.') })),
})

/** Where a reply goes, or why it can't leave. */
const replyDestination = t.Object({
  by: oneOf([...CHANNELS, 'nothing'], 'How it leaves.'),
  /** How long its author can undo it before it is sent; 0 sends it at once. */
  undoSeconds: t.Integer(),
  mailbox: t.Optional(t.Object({ id: t.String(), name: t.String(), address: t.String() })),
  /** All that it can leave by, if there are several. */
  mailboxes: t.Optional(t.Array(t.Object({ id: t.String(), address: t.String(), hasReceived: t.Boolean() }))),
  /** The bot, and the customer as its messenger shows them. */
  chat: t.Optional(
    t.Object({ bot: t.String(), name: t.String(), username: t.Union([t.String(), t.Null()]) }),
  ),
  /** Of a reply that the widget shows: who gets it by email if they don't read it, or why no one does. */
  ifUnread: t.Optional(
    t.Union([
      t.Object({ name: t.String(), address: t.String(), isVerified: t.Boolean() }),
      t.Object({ without: oneOf(NO_EMAIL_REASONS, 'What is missing for an email.') }),
    ]),
  ),
  /**
   * `leftOut`: others on the last mail, beyond the most that a reply can have. `elsewhere`: those in its Reply-To, where
   * neither its writer nor the customer is.
   */
  recipients: t.Optional(
    t.Object({ ...recipients, leftOut: t.Integer(), elsewhere: t.Optional(t.Array(address)) }),
  ),
  problem: t.Optional(replyProblem),
})

export const thread = t.Object({
  ticket: inboxTicket,
  timeline: t.Array(t.Union([messageEntry, noteEntry, activityEntry])),
  /** The agent's own drafts, at most one of each kind. */
  drafts: t.Array(draft),
  waiting: t.Array(waitingReply),
  readUpTo: t.Union([t.String(), t.Null()]),
  /** Ids of the agents who follow the ticket. */
  followers: t.Array(t.String()),
  snooze: t.Optional(snoozeNote),
  shownMetadata: t.Optional(shownTexts),
  /** The notes that mention the agent, oldest first. */
  mentions: t.Array(t.Object({ noteId: t.String(), isSeen: t.Boolean() })),
  reply: replyDestination,
  /** Open ones, newest first. Absent for none. */
  suggestions: t.Optional(t.Array(openSuggestion)),
  /** The newest answer that the visitor of a widget has seen. */
  seen: t.Optional(t.Object({ messageId: t.String(), at: time('When they saw it.') })),
})

export const newCustomer = t.Object(
  { email: t.String({ maxLength: 320 }), name: t.Optional(t.String({ maxLength: 255 })) },
  strict,
)
export const readMark = t.Object({ messageId: id }, strict)
/** Unchecked while they are typed; they are checked when the reply is sent. */
const draftAddress = t.Object(
  { name: t.String({ maxLength: 255 }), address: t.String({ maxLength: 320 }) },
  strict,
)
const draftRecipients = {
  to: t.Array(draftAddress, { maxItems: 200 }),
  cc: t.Array(draftAddress, { maxItems: 200 }),
  bcc: t.Optional(t.Array(draftAddress, { maxItems: 200 })),
}
export const newDraft = t.Object(
  {
    kind: oneOf(DRAFT_KINDS, 'Reply or note.'),
    text: text({ minLength: 0, maxLength: MAX_MESSAGE_LENGTH }),
    attachments: attachmentIds,
    recipients: t.Optional(orNull(t.Object(draftRecipients, strict))),
    actions: t.Optional(orNull(actions)),
    sendAt: t.Optional(orNull(time('When its reply is to be sent.'))),
    base: t.Optional(t.Union([time('When the version that this was written from was saved.'), t.Null()])),
  },
  strict,
)
export const savedDraft = t.Object({ savedAt: time('When it was saved.') })
export const noteId = t.Object({ id: t.String(), noteId: t.String() })
export const noteText = t.Object(
  { text: textOrFiles, format: t.Optional(format), attachments: attachmentIds },
  strict,
)

// What `/v1` shows of a thread besides messages.

const noteExample = {
  id: 'not_01jq8z5w8wf6r9f5v0h3q1x2yz',
  text: 'She called about it, too.',
  format: 'plain',
  agentName: 'Ben',
  agentId: 'agt_01jq8z5w8wf6r9f5v0h3q1x2yz',
  createdAt: '2026-03-01T09:32:00.000Z',
}

export const v1Note = t.Object(
  {
    id: t.String({ description: 'Note id.', examples: [noteExample.id] }),
    text: t.String({ examples: [noteExample.text] }),
    format,
    agentName: t.String({
      description: 'Who wrote it. The name of the key, if that belongs to no program.',
      examples: [noteExample.agentName],
    }),
    agentId: t.Optional(
      t.String({
        description: 'Id of the agent or program. Absent if a key wrote it that belongs to no program.',
        examples: [noteExample.agentId],
      }),
    ),
    attachments: attachmentList,
    createdAt,
  },
  { $id: 'Note', description: 'Only your team sees notes.', examples: [noteExample] },
)
export const v1NoteList = t.Object({ data: t.Array(v1Note), meta: forwardMeta }, { $id: 'NoteList' })

export const newV1Note = t.Object(
  {
    text: { ...textOrFiles, examples: [noteExample.text] },
    attachments: attachmentIds,
    format: t.Optional(
      described(format, '`plain` by default. In `markdown`, `@[Ben](agt_…)` mentions an agent.'),
    ),
  },
  { $id: 'NewNote', additionalProperties: false, examples: [{ text: noteExample.text }] },
)

const v1ChangedValue = t.Union([t.String(), t.Array(t.String()), t.Boolean(), t.Null()])
const v1Activity = t.Object(
  {
    id: t.String({ examples: ['act_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
    by: t.Object(
      {
        kind: oneOf(ACTOR_KINDS, 'Who changed it. `command`: a command on the server.', 'ActorKind'),
        id: t.Optional(t.String({ examples: ['agt_01jq8z5w8wf6r9f5v0h3q1x2yz'] })),
        name: t.String({ examples: ['Ben'] }),
      },
      { $id: 'Actor' },
    ),
    changes: t.Array(
      t.Object(
        {
          field: oneOf(
            ACTIVITY_FIELDS,
            'What changed. `customer` has names, `assignedTo` agent ids. `merged` and `split` have the other ticket in `from` and the move in `to`.',
            'ActivityField',
          ),
          from: { ...v1ChangedValue, examples: ['open'] },
          to: { ...v1ChangedValue, examples: ['resolved'] },
        },
        { $id: 'ActivityChange' },
      ),
    ),
    createdAt: time('When it changed.'),
  },
  { $id: 'Activity', description: 'One change of a ticket.' },
)
export const v1ActivityList = t.Object(
  { data: t.Array(v1Activity), meta: forwardMeta },
  { $id: 'ActivityList' },
)
