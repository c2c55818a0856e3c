import type { Attachment } from './queries.ts'

/** As `/v1` and webhooks show it. */
function viewAttachment({ id, name, type, size }: Attachment) {
  return { id, name, type, size }
}

/** A file that was just uploaded. */
export function viewUpload(attachment: Attachment) {
  return { ...withDimensions(attachment), ...(attachment.isInline ? { inline: true as const } : {}) }
}

/** With the dimensions of an image. */
function withDimensions(attachment: Attachment) {
  const { width, height } = attachment
  return { ...viewAttachment(attachment), ...(width === null || height === null ? {} : { width, height }) }
}

/** As the inbox shows it: also where it belongs in the HTML of a mail. */
function viewInboxAttachment(attachment: Attachment) {
  const { isInline, contentId } = attachment
  return {
    ...withDimensions(attachment),
    ...(isInline ? { isInline: true as const } : {}),
    ...(contentId === null ? {} : { contentId }),
  }
}

/** Undefined for none. */
export function viewAttachments(attachments: Attachment[] = []) {
  return attachments.length === 0 ? undefined : attachments.map(viewAttachment)
}

/** The field `attachments` of what has some, in the inbox. */
export function viewInboxAttachments(attachments: Attachment[] = []) {
  return attachments.length === 0 ? {} : { attachments: attachments.map(viewInboxAttachment) }
}
