import { t } from 'elysia'
import { attachmentIds, attachmentList, inboxAttachmentList } from '../attachments/schemas.ts'
import { described, orNull } from '../requests/schemas.ts'
import { text } from '../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../tickets/messages.ts'
import { actions, time } from '../tickets/schemas.ts'

const strict = { additionalProperties: false }
const name = text({ maxLength: 100 })
/** Blank for one that only has files or actions. */
const replyText = text({ minLength: 0, maxLength: MAX_MESSAGE_LENGTH })

const content = {
  isShared: t.Optional(t.Boolean()),
  actions: t.Optional(orNull(actions)),
  attachments: attachmentIds,
}
export const newSavedReply = t.Object({ name, text: replyText, ...content }, strict)
export const savedReplyChange = t.Object(
  { name: t.Optional(name), text: t.Optional(replyText), ...content },
  strict,
)
export const savedReply = t.Object({
  id: t.String(),
  name: t.String(),
  /** With variables such as `{{customer.name}}`, which the page fills in. */
  text: t.String(),
  /** The team's. Otherwise only its author has it. */
  isShared: t.Boolean(),
  isMine: t.Boolean(),
  actions: t.Optional(actions),
  attachments: inboxAttachmentList,
  /** How often the agent has used it. */
  uses: t.Integer(),
  updatedAt: time('When it last changed.'),
})
export const usedReply = t.Object({ attachments: inboxAttachmentList })

const REPLY = {
  id: 'svr_01jq8z5w8wf6r9f5v0h3q1x2yz',
  name: 'Billing / Refund',
  text: 'Hello {{customer.firstName}}, your refund is on its way.',
  actions: { status: 'resolved' as const, addTags: ['refund'] },
  updatedAt: '2026-03-01T09:30:00.000Z',
}
export const v1SavedReplies = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          id: t.String({ description: 'Saved reply id.', examples: [REPLY.id] }),
          name: t.String({
            description: 'With its groups before it, separated by ` / `.',
            examples: [REPLY.name],
          }),
          text: t.String({
            description:
              'Markdown with variables such as `{{customer.firstName}}`, which the inbox fills in. Empty for one that only does something to the ticket.',
            examples: [REPLY.text],
          }),
          actions: t.Optional(
            described(actions, 'What is done to the ticket when the reply is sent. Absent for nothing.'),
          ),
          attachments: attachmentList,
          updatedAt: time('When it last changed.'),
        },
        { $id: 'SavedReply', examples: [REPLY] },
      ),
    ),
  },
  { $id: 'SavedReplyList', examples: [{ data: [REPLY] }] },
)
