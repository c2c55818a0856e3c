import { Type } from '@sinclair/typebox'
import { type Caller, hasScope } from '../../api-keys/require-api-key.ts'
import { withAttachments } from '../../attachments/queries.ts'
import { MESSAGE_FORMATS } from '../../database/tables/messages.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { oneOf } from '../../requests/schemas.ts'
import { lengthOf } from '../../text/text.ts'
import type { OfTicket } from '../../tickets/rows-of-ticket.ts'
import { readTicketRow } from '../../tickets/tickets.ts'
import { ticketEtag } from '../../tickets/views.ts'
import { findNewest } from '../../tickets/waiting.ts'
import { MAX_TEXT_LENGTH, pieceOf } from '../pieces.ts'
import { messagesBefore, notesBefore, placeOfMessage, placeOfNote, waitingReplies } from '../queries.ts'
import {
  delivery,
  etag,
  limit,
  ticketFields,
  ticketId,
  time,
  untrustedMetadata,
  untrustedText,
} from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { type PartRow, SHOWN_FILES, viewMetadata, viewPart, viewTicket, viewWaiting } from '../views.ts'

const MAX_PARTS = 50
const MAX_WAITING = 10
const USUAL_PARTS = 20
const CURSOR = /^((msg|not)_[0-9a-z]{26})(?:\.(\d{1,7}))?$/
const closed = { additionalProperties: false }

const file = Type.Object(
  { id: Type.String(), untrustedName: untrustedText(), type: Type.String(), size: Type.Integer() },
  closed,
)

const part = Type.Object(
  {
    id: Type.String(),
    role: oneOf(['customer', 'agent', 'note']),
    agent: Type.Optional(Type.String({ description: 'Who wrote it, of the team.' })),
    untrustedAuthor: Type.Optional(
      untrustedText(
        'Who wrote it, if it was neither the customer themselves nor anyone who works in this system.',
      ),
    ),
    untrustedText: untrustedText(),
    textFrom: Type.Optional(
      Type.Integer({ description: 'The text is the rest of a long one, from this character on.' }),
    ),
    format: oneOf(MESSAGE_FORMATS),
    isAutomatic: Type.Optional(Type.Literal(true, { description: 'Such as a vacation notice.' })),
    isWithOutsider: Type.Optional(
      Type.Literal(true, { description: 'Between the team and someone else. The customer doesn’t see it.' }),
    ),
    attachments: Type.Optional(
      Type.Array(file, { description: `At most ${SHOWN_FILES}. For get_attachment.` }),
    ),
    delivery: Type.Optional(delivery),
    createdAt: time(),
  },
  closed,
)

const waitingReply = Type.Object(
  { id: Type.String(), agent: Type.String(), state: oneOf(['waiting', 'held']), sendAt: time() },
  closed,
)

export const getTicket = defineTool({
  name: 'get_ticket',
  title: 'Get a ticket',
  description: `Returns a ticket with its newest messages, the oldest first. The roles are “customer”, “agent” for the team’s answers, and “note” for internal notes, which customers never see and which need the scope notes:read. At most ${MAX_TEXT_LENGTH.toLocaleString('en')} characters of text at a time: pass “before” of the answer for what comes before.`,
  scope: 'tickets:read',
  input: Type.Object(
    {
      ticket: ticketId,
      before: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'From an answer, or the id of a message: only what was written before it.',
        }),
      ),
      limit: Type.Optional(limit(MAX_PARTS, USUAL_PARTS)),
    },
    closed,
  ),
  output: Type.Object(
    {
      ...ticketFields,
      etag,
      untrustedMetadata: Type.Optional(untrustedMetadata),
      newestMessage: Type.Optional(
        Type.Object(
          { id: Type.String(), role: oneOf(['customer', 'agent']) },
          {
            ...closed,
            description:
              'For “after” of send_reply and, if the customer wrote it, “answers” of suggest_reply. Automatic messages don’t count.',
          },
        ),
      ),
      waitingReplies: Type.Optional(
        Type.Array(waitingReply, {
          description: `The team’s replies that aren’t sent yet, at most ${MAX_WAITING}. A held one waits until an agent decides.`,
        }),
      ),
      messages: Type.Array(part),
      before: Type.Optional(Type.String({ description: 'Absent if there is nothing before.' })),
    },
    closed,
  ),
  effect: 'reads',
  async run({ deps, caller }, { ticket: id, before, limit = USUAL_PARTS }) {
    const { orgId } = caller
    const ticket = await readTicketRow(deps.database.read, orgId, id)
    const of = { orgId, ticketId: ticket.id }
    const [newest] = await findNewest(deps.database.read, of)
    const waiting = await waitingReplies(deps.database.read, { ...of, limit: MAX_WAITING })
    const page = await partsBefore(deps, caller, of, { before, limit })
    return {
      data: {
        ...viewTicket(ticket),
        etag: ticketEtag(ticket),
        ...viewMetadata(ticket.metadata),
        ...(newest && { newestMessage: { id: newest.id, role: newest.role } }),
        ...(waiting.length > 0 && { waitingReplies: waiting.map(viewWaiting) }),
        messages: page.parts.map(viewPart).reverse(),
        ...(page.before !== undefined && { before: page.before }),
      },
    }
  },
})

/** Messages and, for who may read them, notes, the newest first. `before` is the cursor of the page that comes before. */
async function partsBefore(
  deps: Deps,
  caller: Caller,
  of: OfTicket,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<{ parts: PartRow[]; before: string | undefined }> {
  const { read } = deps.database
  const hasNotes = hasScope(caller, 'notes:read')
  const start = before ? await startAt(deps, of, { before, hasNotes }) : NEWEST
  const wanted = { ...of, at: start.at, afterId: start.afterId, limit: limit + 1 }
  const found: PartRow[] = await withAttachments(read, of.orgId, await messagesBefore(read, wanted))
  if (hasNotes) {
    const notes = await withAttachments(read, of.orgId, await notesBefore(read, wanted))
    found.push(...notes.map((note) => ({ ...note, role: 'note' as const })))
  }
  const parts = found.sort(newestFirst)
  const [first] = parts
  if (first && start.rest) Object.assign(first, start.rest)
  return fit(parts, limit)
}

interface Start {
  at: number
  afterId: string
  /** Of the part that is read to its end. */
  rest?: { text: string; textFrom: number }
}

const NEWEST: Start = { at: Number.MAX_SAFE_INTEGER, afterId: '' }

/** Throws 400. */
async function startAt(
  { database: { read } }: Deps,
  of: OfTicket,
  { before, hasNotes }: { before: string; hasNotes: boolean },
): Promise<Start> {
  const [, id = '', prefix, offset = '0'] = CURSOR.exec(before) ?? []
  const from = Number(offset)
  const find = prefix === 'msg' ? placeOfMessage : hasNotes ? placeOfNote : undefined
  const [place] = id === '' || !find ? [] : await find(read, { ...of, id, from })
  if (!place) {
    const detail = 'There is no such message in the ticket. Pass “before” of an answer unchanged.'
    throw invalid([{ pointer: '/before', code: 'unknown_message', detail }])
  }
  const { createdAt: at, text } = place
  // Nothing sorts between an id and one that is longer by a character.
  return from === 0 ? { at, afterId: id } : { at, afterId: `${id}0`, rest: { text, textFrom: from } }
}

function newestFirst(one: PartRow, other: PartRow): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1)
}

/** As many parts as the answer has room for. Of a text that is too long by itself, as much as there is room for. */
function fit(rows: PartRow[], limit: number): { parts: PartRow[]; before: string | undefined } {
  const parts: PartRow[] = []
  let left = MAX_TEXT_LENGTH
  for (const row of rows) {
    const names = row.attachments.slice(0, SHOWN_FILES).reduce((sum, { name }) => sum + lengthOf(name), 0)
    const { text, length, next } = pieceOf(row.text, 0, Math.max(left - names, 0))
    const last = parts.at(-1)
    if (last && (parts.length === limit || next !== undefined)) return { parts, before: last.id }
    parts.push({ ...row, text })
    if (next !== undefined) return { parts, before: `${row.id}.${(row.textFrom ?? 0) + next}` }
    left -= length + names
  }
  return { parts, before: undefined }
}
