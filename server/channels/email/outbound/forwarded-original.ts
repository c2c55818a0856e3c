import { decodeHTMLAttribute } from 'entities'
import type { ReceivedFile } from '../../../attachments/bindings.ts'
import { type Attachment, findAttachmentsOf } from '../../../attachments/queries.ts'
import type { Reader } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { messageContents } from '../../../database/tables/messages.ts'
import { emailImage, markdownToEmailHtml, plainToEmailHtml } from '../../../formatting/email-html.ts'
import { imageNames } from '../../../formatting/markdown.ts'
import { isFormatted, plainTextOf } from '../../../formatting/plain-text.ts'
import { mapStyles, scopedCss } from '../../../formatting/scoped-css.ts'
import { isId } from '../../../ids.ts'
import { findMessage, type StoredMessage } from '../../../messages/queries.ts'

/** Characters. Of a longer message only the text is forwarded. */
const MAX_HTML_LENGTH = 500_000
const CLASS = 'bellhop-forwarded'

/** A message that is about to be forwarded. */
interface Original {
  message: StoredMessage
  /** The quoted or forwarded mail inside it. */
  contents: Pick<typeof messageContents.$inferSelect, 'quoted' | 'html'> | undefined
  files: Attachment[]
}

/** The part of a message that a forward passes on: without what a customer's mail quotes. */
interface ForwardedOriginal {
  text: string
  /** Null for a plain text. */
  html: string | null
  isHtmlFormatted: boolean
  files: ReceivedFile[]
}

/** Undefined if the ticket has no such message. */
export async function findOriginal(
  read: Reader,
  { orgId, ticketId, messageId: id }: { orgId: string; ticketId: string; messageId: string },
): Promise<Original | undefined> {
  const message = isId('msg', id) ? await findMessage(read, { orgId, id }) : undefined
  if (message?.ticketId !== ticketId) return undefined
  const [contents] = await read
    .select({ quoted: messageContents.quoted, html: messageContents.html })
    .from(messageContents)
    .where(matches(messageContents, { orgId, messageId: id }))
  const files = message.attachmentCount === 0 ? [] : await findAttachmentsOf(read, { orgId, ownerId: id })
  return { message, contents, files }
}

/**
 * The message as it goes into the message `id`. Its images get content ids of their own there, and its files come after
 * the first `filesBefore`.
 */
export function passOn(original: Original, { id, filesBefore }: { id: string; filesBefore: number }) {
  const { message, contents, files } = original
  const inline = files.filter(({ isInline }) => isInline).map(keyOf)
  const contentIds = new Map(inline.map((key, at) => [key, `${id}.${at + 1}@bellhop`]))
  const html = htmlOf(original, contentIds)
  const written = plainTextOf(message)
  const own = message.role === 'agent' ? (contents?.quoted ?? '') : ''
  const passedOn: ForwardedOriginal = {
    text: [written, own].filter((text) => text !== '').join('\n\n'),
    html: html?.html ?? null,
    isHtmlFormatted: html !== null && (message.role === 'agent' || message.isHtmlFormatted),
    files: files.flatMap((file, at): ReceivedFile[] => {
      const { hash, name, type, size, width, height } = file
      const copy = { hash, name, type, size, width, height, position: filesBefore + at }
      const contentId = file.isInline && html ? contentIds.get(keyOf(file)) : undefined
      if (contentId === undefined) return [copy]
      return html?.shown.has(keyOf(file)) ? [{ ...copy, contentId, isInline: true }] : []
    }),
  }
  return passedOn
}

/** An image that an agent put into a message has no content id: no HTML refers to it. */
function keyOf({ id, contentId }: Attachment): string {
  return contentId ?? id
}

function htmlOf(
  { message: { role, text, format }, contents, files }: Original,
  contentIds: ReadonlyMap<string, string>,
): ForwardableHtml | null {
  const stored = contents?.html == null ? null : forwardableHtml(contents.html, contentIds)
  if (role === 'customer') return stored
  const images = files.filter(({ isInline, contentId }) => isInline && contentId === null)
  const isMarkdown = format === 'markdown'
  if (!stored && images.length === 0 && !(isMarkdown && isFormatted(text))) return null
  const placed = isMarkdown ? imageNames(text) : new Set<string>()
  const shownBy = ({ id, width, height }: Attachment) => ({
    source: `data-cid="${contentIds.get(id)}"`,
    width,
    height,
  })
  const inText = new Map(
    images.filter(({ name }) => placed.has(name)).map((file) => [file.name, shownBy(file)]),
  )
  const words = isMarkdown ? markdownToEmailHtml(text, inText) : plainToEmailHtml(text)
  const shown = images
    .filter(({ name }) => !inText.has(name))
    .map((file) => `<p>${emailImage(shownBy(file))}</p>`)
  const forwarded = stored?.html ?? plainToEmailHtml(contents?.quoted ?? '')
  // Inside a thread's frame, the linked page would replace the message.
  const written = words.replaceAll('<a ', '<a target="_blank" rel="noopener noreferrer nofollow" ')
  return {
    html: [written, ...shown, forwarded].join('\n'),
    shown: new Set([...(stored?.shown ?? []), ...images.map(({ id }) => id)]),
  }
}

interface ForwardableHtml {
  html: string
  /** Content ids of its images, as they were. */
  shown: Set<string>
}

/**
 * The stored HTML of a mail, so that it can be part of another one: without the mail it quotes, with its images under the
 * new content ids of `contentIds`, and with styles that apply only to it. An image without a new id is left out. Null for
 * HTML that is too long.
 */
function forwardableHtml(html: string, contentIds: ReadonlyMap<string, string>): ForwardableHtml | null {
  if (html.length > MAX_HTML_LENGTH) return null
  const shown = new Set<string>()
  const own = new HTMLRewriter()
    .on('[data-quote]', {
      element(element) {
        element.remove()
      },
    })
    .transform(html)
  const renamed = new HTMLRewriter()
    .on('img:not([data-remote-src])', {
      element(image) {
        const contentId = decodeHTMLAttribute(image.getAttribute('data-cid') ?? '')
        const newId = contentIds.get(contentId)
        if (newId === undefined) image.remove()
        else {
          shown.add(contentId)
          image.setAttribute('data-cid', newId)
        }
      },
    })
    .transform(own)
  const scoped = mapStyles(renamed, (css) => scopedCss(css, CLASS))
  return { html: `<div class="${CLASS}">${scoped}</div>`, shown }
}
