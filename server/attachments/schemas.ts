import { t } from 'elysia'
import { MAX_ATTACHMENTS_PER_MESSAGE } from '../config.ts'
import { text } from '../text/text.ts'
import { MAX_FILE_NAME_LENGTH } from './file-name.ts'

const ID = 'att_01jq8z5w8wf6r9f5v0h3q1x2yz'

const attachment = t.Object(
  {
    id: t.String({ description: 'Attachment id.', examples: [ID] }),
    name: t.String({ description: 'File name.', examples: ['invoice.pdf'] }),
    type: t.String({
      description: 'Media type, from the content of the file.',
      examples: ['application/pdf'],
    }),
    size: t.Integer({ description: 'Bytes.', examples: [48_213] }),
  },
  { $id: 'Attachment', examples: [{ id: ID, name: 'invoice.pdf', type: 'application/pdf', size: 48_213 }] },
)

const dimensions = {
  width: t.Optional(
    t.Integer({ description: 'Of an image, in pixels, as a browser shows it.', examples: [1200] }),
  ),
  height: t.Optional(t.Integer({ examples: [800] })),
}
export const uploadedAttachment = t.Object(
  {
    ...attachment.properties,
    ...dimensions,
    inline: t.Optional(
      t.Literal(true, { description: 'Present if the image is shown in the text of an email.' }),
    ),
  },
  { $id: 'UploadedAttachment', base: attachment, examples: attachment.examples },
)

const inboxAttachment = t.Object({
  ...attachment.properties,
  ...dimensions,
  /** Shown in the text: by the HTML of a mail, which refers to `contentId`, or below what an agent wrote. */
  isInline: t.Optional(t.Literal(true)),
  contentId: t.Optional(t.String()),
})

/** In what has attachments. */
export const attachmentList = t.Optional(
  t.Array(attachment, { description: 'Files of the message. Absent if there are none.' }),
)
export const inboxAttachmentList = t.Optional(t.Array(inboxAttachment))

/** In a request. */
export const attachmentIds = t.Optional(
  t.Array(t.String({ maxLength: 64 }), {
    maxItems: MAX_ATTACHMENTS_PER_MESSAGE,
    description:
      'Ids of files that you uploaded and haven’t sent yet, in the order in which they are shown. 50 at most, unless the server has another limit.',
    examples: [[ID]],
  }),
)

export const attachmentId = t.Object({ id: t.String({ description: 'Attachment id.', examples: [ID] }) })
export const uploadQuery = t.Object(
  {
    name: text({ maxLength: MAX_FILE_NAME_LENGTH, description: 'File name.', examples: ['invoice.pdf'] }),
    inline: t.Optional(
      t.Union([t.Literal('true'), t.Literal('false')], {
        description:
          'Whether an email shows the file in its text instead of attaching it: where a Markdown text names it, as in `![](screenshot.png)`, or else below the text. Only for PNG, JPEG, and GIF images; ignored for other files.',
        examples: ['true'],
      }),
    ),
  },
  { additionalProperties: false },
)
