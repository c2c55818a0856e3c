import type { Attachment } from '../../../attachments/queries.ts'
import type { TelegramPart } from '../../../database/tables/bots.ts'
import type { MessageFormat } from '../../../database/tables/messages.ts'
import type { FrozenFile } from '../../../database/tables/sends.ts'
import { formatSize } from '../../../text/sizes.ts'
import { splitTelegramText, type TelegramText, telegramText } from './telegram-text.ts'

// The limits of the Bot API. Lengths are counted in UTF-16 units, so they never exceed Telegram's own count.

const MAX_TEXT_LENGTH = 4_096
const MAX_CAPTION_LENGTH = 1_024
const MAX_FILE_BYTES = 50 * 1024 * 1024
const MAX_ALBUM_FILES = 10
const MAX_PHOTO_BYTES = 10 * 1024 * 1024
/** Pixels, both sides together. */
const MAX_PHOTO_SIDES = 10_000
const MAX_PHOTO_RATIO = 20
const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp']

type TelegramFile = Pick<Attachment, 'hash' | 'name' | 'type' | 'size' | 'width' | 'height'>

interface Written {
  text: string
  format: MessageFormat
  files: readonly TelegramFile[]
}

/**
 * A message as those of Telegram: its text above its files, or below the first of them if it is short enough. Photos are
 * shown, other files are downloaded; neighbors of the same kind are an album.
 */
export function telegramParts({ text, format, files }: Written): TelegramPart[] {
  const whole = renderedText({ text, format })
  const groups = groupsOf(files)
  const isCaption = groups.length > 0 && whole.text.length <= MAX_CAPTION_LENGTH
  const texts = isCaption ? [] : textParts(whole)
  return [
    ...texts,
    ...groups.map((group, at) => ({
      kind: 'files' as const,
      files: group.map(frozenFile),
      arePhotos: group.every(isPhoto),
      ...(isCaption && at === 0 ? whole : { text: '', entities: [] }),
    })),
  ]
}

/** Why Telegram doesn't take the files; undefined when it does. */
export function faultOfFiles(files: readonly TelegramFile[]): string | undefined {
  const large = files.find(({ size }) => size > MAX_FILE_BYTES)
  if (!large) return undefined
  const { name, size } = large
  return `"${name}" is ${formatSize(size)}. Telegram accepts files up to ${formatSize(MAX_FILE_BYTES)}.`
}

/** The new parts of a message whose text is changed, or why Telegram can't show it in place of the old one. */
export function editedParts(
  parts: readonly TelegramPart[],
  written: Omit<Written, 'files'>,
): { parts: TelegramPart[]; removed: number } | { fault: string } {
  const whole = renderedText(written)
  const [first, ...others] = parts
  if (first?.kind === 'files') {
    if (whole.text.length <= MAX_CAPTION_LENGTH) {
      return { parts: [{ ...first, ...whole }, ...others], removed: 0 }
    }
    return {
      fault: `With files, Telegram allows up to ${MAX_CAPTION_LENGTH.toLocaleString('en-US')} characters of text.`,
    }
  }
  const before = parts.filter(({ kind }) => kind === 'text').length
  const texts = textParts(whole)
  if (texts.length === 0) return { fault: 'A message needs text.' }
  if (texts.length > before) {
    const fault =
      'The text is too long to replace the old one in Telegram. Shorten it, or send the rest as a new message.'
    return { fault }
  }
  return { parts: [...texts, ...parts.slice(before)], removed: before - texts.length }
}

/** Marks without text, such as an empty code block, are sent as written. */
function renderedText(written: { text: string; format: MessageFormat }): TelegramText {
  const rendered = telegramText(written)
  return rendered.text === '' ? telegramText({ ...written, format: 'plain' }) : rendered
}

function textParts(whole: TelegramText): TelegramPart[] {
  return splitTelegramText(whole, MAX_TEXT_LENGTH).map((part) => ({ kind: 'text', ...part }))
}

function groupsOf(files: readonly TelegramFile[]): TelegramFile[][] {
  const groups: TelegramFile[][] = []
  for (const file of files) {
    const last = groups.at(-1)
    const [first] = last ?? []
    const fits = first && isPhoto(first) === isPhoto(file) && (last?.length ?? 0) < MAX_ALBUM_FILES
    if (last && fits) last.push(file)
    else groups.push([file])
  }
  return groups
}

/** Whether Telegram shows a file as a photo. It refuses others, so they are sent as files. */
function isPhoto({ type, size, width, height }: TelegramFile): boolean {
  if (!PHOTO_TYPES.includes(type) || size > MAX_PHOTO_BYTES || width === null || height === null) return false
  const ratio = Math.max(width, height) / Math.max(Math.min(width, height), 1)
  return width + height <= MAX_PHOTO_SIDES && ratio <= MAX_PHOTO_RATIO
}

function frozenFile({ hash, name, type, size }: TelegramFile): FrozenFile {
  return { hash, name, type, size }
}
