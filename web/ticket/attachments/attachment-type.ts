import { imageNames } from '../../../server/formatting/markdown.ts'
import type { Answer, api } from '../../api/api.ts'
import { ApiProblem } from '../../api/api-problem.ts'

type Detail = Answer<ReturnType<typeof api.console.tickets>['get']>

export type Attachment = NonNullable<Detail['drafts'][number]['attachments']>[number]

/** Images that the server lets the page show (`isShownInline` in server/attachments/file-type.ts). */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

export function attachmentUrl(id: string): string {
  return `/v1/attachments/${id}`
}

/** Whether the HTML of a mail shows it. An image that an agent put into a message has no content id. */
export function isInHtml({ isInline, contentId }: Attachment): boolean {
  return isInline === true && contentId !== undefined
}

/** The picture that a text names: an image that an agent put into the message. */
export function pictureNamed(
  attachments: readonly Attachment[] | undefined,
  name: string,
): Attachment | undefined {
  return attachments?.find(
    (one) => one.isInline === true && one.contentId === undefined && one.name === name && isImage(one),
  )
}

/** The files that are not shown in the text. */
export function besideText<File extends Attachment>(
  attachments: readonly File[] | undefined,
  { text, format }: { text: string; format: 'plain' | 'markdown' },
): readonly File[] | undefined {
  const names = format === 'markdown' && attachments?.length ? imageNames(text) : undefined
  if (!names?.size) return attachments
  return attachments?.filter((one) => !(names.has(one.name) && pictureNamed(attachments, one.name) === one))
}

/** Whether the page can show it as an image. */
export function isImage({ type }: Pick<Attachment, 'type'>): boolean {
  return IMAGES.includes(type)
}

/**
 * Ids of the attachments that the server no longer has as uploads of the agent, so that it refused a message or draft.
 * Undefined if it refused for another reason.
 */
export function goneFiles(error: unknown, attachments: { id: string }[]): string[] | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const gone = error.errors.filter(({ code }) => code === 'unknown_attachment')
  if (gone.length === 0) return undefined
  return attachments.flatMap(({ id }, at) =>
    gone.some(({ pointer }) => pointer === `/attachments/${at}`) ? [id] : [],
  )
}

export function goneFilesMessage(names: string[]): string {
  const [one, ...others] = names
  return others.length === 0
    ? `“${one}” can't be sent. It was sent from another tab, or deleted after a day. Attach it again if needed.`
    : `${names.length} files can't be sent. They were sent from another tab, or deleted after a day. Attach them again if needed.`
}
