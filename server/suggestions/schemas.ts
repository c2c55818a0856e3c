import { t } from 'elysia'
import { attachmentIds, attachmentList, inboxAttachmentList } from '../attachments/schemas.ts'
import { SUGGESTION_STATES } from '../database/tables/threads.ts'
import { described, oneOf, orNull } from '../requests/schemas.ts'
import { text } from '../text/text.ts'
import { author, format, forwardMeta, textOrFiles, time } from '../tickets/schemas.ts'

const strict = { additionalProperties: false }
const MAX_SOURCES = 10

const ID = 'sug_01jq8z5w8wf6r9f5v0h3q1x2yz'
const TICKET_ID = 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'
const MESSAGE_ID = 'msg_01jq8z5w8wf6r9f5v0h3q1x2yz'
const SOURCE = { title: 'Refunds', url: 'https://help.example.com/refunds' }
const WRITTEN = {
  text: 'You can return it within 30 days.',
  format: 'plain',
  answers: MESSAGE_ID,
  sources: [SOURCE],
  confidence: 0.8,
}

export const suggestionPath = t.Object({
  id: t.String({ description: 'Ticket id.', examples: [TICKET_ID] }),
  suggestionId: t.String({ description: 'Suggestion id.', examples: [ID] }),
})

const source = {
  title: t.String({ examples: [SOURCE.title] }),
  url: t.String({ examples: [SOURCE.url] }),
}
const v1Source = t.Object(source, { $id: 'SuggestionSource', description: 'What an answer is based on.' })
const confidence = 'How sure the author is, from 0 to 1.'
const answers = t.String({
  maxLength: 64,
  description: 'Id of the customer’s message that it answers.',
  examples: [MESSAGE_ID],
})

export const v1Suggestion = t.Object(
  {
    id: t.String({ description: 'Suggestion id.', examples: [ID] }),
    ticketId: t.String({ description: 'Ticket id.', examples: [TICKET_ID] }),
    state: oneOf(
      SUGGESTION_STATES,
      '`sent`: an agent sent it as it was; `edited`: with changes. `rejected`: an agent dismissed it. `superseded`: the ticket was answered otherwise, its customer wrote again, messages moved, or its author suggested something else. `withdrawn`: its author deleted it.',
      'SuggestionState',
    ),
    by: described(author, 'Who suggests it: a program, an agent, or a key that belongs to no program.'),
    text: t.String({ examples: [WRITTEN.text] }),
    format,
    attachments: attachmentList,
    answers,
    sources: t.Array(v1Source),
    confidence: t.Union([t.Number({ examples: [WRITTEN.confidence] }), t.Null()], {
      description: `${confidence} Null if they didn’t say.`,
    }),
    messageId: t.Optional(
      t.String({ description: 'The message that it became: `sent` or `edited`.', examples: [MESSAGE_ID] }),
    ),
    similarity: t.Optional(
      t.Number({
        description: 'How many of its words are in that message, from 0 to 1.',
        examples: [0.86],
      }),
    ),
    reason: t.Optional(
      t.String({ description: 'Why an agent dismissed it, if they said.', examples: ['Wrong product'] }),
    ),
    createdAt: time('When it was suggested.'),
    closedAt: t.Union([time('When it was closed.'), t.Null()], { description: 'Null while it is open.' }),
  },
  {
    $id: 'Suggestion',
    description: 'An answer that an agent decides about. Nothing sends it by itself.',
    examples: [
      {
        id: ID,
        ticketId: TICKET_ID,
        state: 'open',
        by: { kind: 'program', id: 'agt_01jq8z5w8wf6r9f5v0h3q1x2yz', name: 'Answer bot' },
        ...WRITTEN,
        createdAt: '2026-03-01T09:31:00.000Z',
        closedAt: null,
      },
    ],
  },
)
export const v1SuggestionList = t.Object(
  { data: t.Array(v1Suggestion, { description: 'Newest first.' }), meta: forwardMeta },
  { $id: 'SuggestionList' },
)

export const newSuggestion = t.Object(
  {
    text: { ...textOrFiles, examples: [WRITTEN.text] },
    format: t.Optional(described(format, '`plain` by default.')),
    attachments: attachmentIds,
    answers,
    sources: t.Optional(
      t.Array(
        t.Object(
          {
            title: text({ maxLength: 200, examples: [SOURCE.title] }),
            url: t.String({ maxLength: 2_048, description: 'Http or https.', examples: [SOURCE.url] }),
          },
          { $id: 'NewSuggestionSource', ...strict },
        ),
        { maxItems: MAX_SOURCES, description: 'What the answer is based on. Agents see the links.' },
      ),
    ),
    confidence: t.Optional(
      t.Union([t.Number({ minimum: 0, maximum: 1, examples: [WRITTEN.confidence] }), t.Null()], {
        description: confidence,
      }),
    ),
  },
  { $id: 'NewSuggestion', ...strict, examples: [WRITTEN] },
)

// What the inbox shows.

const suggestedBy = t.Object({
  kind: oneOf(['agent', 'program', 'key'], 'Who suggests.'),
  id: t.String(),
  name: t.String(),
})

export const openSuggestion = t.Object({
  id: t.String(),
  by: suggestedBy,
  text: t.String(),
  format,
  attachments: inboxAttachmentList,
  answers: t.String(),
  sources: t.Array(t.Object(source)),
  confidence: orNull(t.Number()),
  /** The agents who took it into their composer, the latest last. */
  usedBy: t.Array(t.String()),
  createdAt: time('When it was suggested.'),
})

export const usedSuggestion = t.Object({
  text: t.String(),
  format,
  /** Uploads of the agent. */
  attachments: inboxAttachmentList,
})

export const dismissal = t.Object({ reason: t.Optional(text({ minLength: 0, maxLength: 500 })) }, strict)

const count = t.Integer({ minimum: 0 })
export const suggestionStatistics = t.Object({
  data: t.Array(
    t.Object({
      by: suggestedBy,
      open: count,
      sent: count,
      edited: count,
      rejected: count,
      superseded: count,
      withdrawn: count,
    }),
  ),
})
