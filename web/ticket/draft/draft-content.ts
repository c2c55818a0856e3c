import { canBeImage, imageMark } from '../../../server/formatting/inline.ts'
import type { Attachment } from '../attachments/attachment-type.ts'
import { type Actions, isSameActions } from '../changes/actions.ts'
import { isSameRecipients, type Recipients } from '../recipients/address-list.ts'

/** An uploaded file in a draft. */
export interface DraftAttachment extends Attachment {
  /** When it was added on this page, by this browser's clock: files stay in that order, whichever is uploaded first. */
  addedAt?: number
}

/** What an agent has written, and the files with it. */
export interface DraftContent {
  text: string
  attachments: DraftAttachment[]
  /** Who gets the reply, if the agent has changed that. */
  recipients?: Recipients | undefined
  /** Of a saved reply: what is done to the ticket when the reply is sent. */
  actions?: Actions | undefined
  /** When an edited reply is sent that was to be sent later, by the server's clock (ISO 8601). Without it, Send sends it. */
  sendAt?: string | undefined
}

export function isBlank({ text, attachments }: DraftContent): boolean {
  return text.trim() === '' && attachments.length === 0
}

export function isSameContent(one: DraftContent, other: DraftContent): boolean {
  const isSameWriting = one.text === other.text && idsOf(one).join() === idsOf(other).join()
  const isSameChoice = isSameRecipients(one.recipients, other.recipients) && one.sendAt === other.sendAt
  return isSameWriting && isSameChoice && isSameActions(one.actions, other.actions)
}

/** Whether all of the other version is in this one. */
export function contains(one: DraftContent, other: DraftContent): boolean {
  return one.text.includes(other.text) && hasFilesOf(one, other)
}

export function hasFilesOf(one: DraftContent, other: DraftContent): boolean {
  const ids = idsOf(one)
  return other.attachments.every(({ id }) => ids.includes(id))
}

function idsOf({ attachments }: DraftContent): string[] {
  return attachments.map(({ id }) => id)
}

export function without(attachments: DraftAttachment[], others: { id: string }[]): DraftAttachment[] {
  return attachments.filter((one) => !others.some(({ id }) => id === one.id))
}

/** Without a file, and without its mark in the text if it is a picture. */
export function withoutFile({ text, attachments }: DraftContent, id: string): DraftContent {
  const name = attachments.find((one) => one.id === id)?.name ?? ''
  return {
    text: canBeImage(name) ? text.replaceAll(imageMark(name), '') : text,
    attachments: without(attachments, [{ id }]),
  }
}

/** Puts a file at its place among the others. */
export function withFile(attachments: DraftAttachment[], file: DraftAttachment): DraftAttachment[] {
  const others = without(attachments, [file])
  const isLater = ({ addedAt = 0 }: DraftAttachment) => addedAt > (file.addedAt ?? 0)
  return [...others.filter((one) => !isLater(one)), file, ...others.filter(isLater)]
}

/** Joins the earlier version and what was written since, as the server does (`returnToDraft` in server/threads/drafts.ts). */
export function joined(earlier: DraftContent, since: DraftContent): DraftContent {
  return {
    ...choicesIn({
      recipients: earlier.recipients ?? since.recipients,
      actions: earlier.actions ?? since.actions,
      sendAt: earlier.sendAt ?? since.sendAt,
    }),
    text: joinedText(earlier.text, since.text),
    attachments: [...earlier.attachments, ...without(since.attachments, earlier.attachments)],
  }
}

/** What is written, out of something larger. */
export function contentIn({ text, attachments, ...choices }: DraftContent): DraftContent {
  return { text, attachments, ...choicesIn(choices) }
}

function choicesIn({ recipients, actions, sendAt }: Omit<DraftContent, 'text' | 'attachments'>) {
  return { ...(recipients && { recipients }), ...(actions && { actions }), ...(sendAt && { sendAt }) }
}

function joinedText(earlier: string, since: string): string {
  // The beginning of the earlier version is what was saved while it was being written.
  if (earlier.startsWith(since.trimEnd())) return earlier
  return earlier.trim() === '' ? since : `${earlier}\n\n${since}`
}
