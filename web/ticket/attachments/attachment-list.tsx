import { createMemo, createSignal, For, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { formatSize } from '../../../server/text/sizes.ts'
import { type Attachment, attachmentUrl, isImage, isInHtml } from './attachment-type.ts'
import { viewOnClick } from './view-on-click.ts'
import './attachment-list.css'

import Download from 'lucide-solid/icons/download'
import FileIconBase from 'lucide-solid/icons/file'
import FileArchive from 'lucide-solid/icons/file-archive'
import FileImage from 'lucide-solid/icons/file-image'
import FileMusic from 'lucide-solid/icons/file-music'
import FilePlay from 'lucide-solid/icons/file-play'
import FileSpreadsheet from 'lucide-solid/icons/file-spreadsheet'
import FileText from 'lucide-solid/icons/file-text'
import ImageOff from 'lucide-solid/icons/image-off'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'

export interface AttachmentListProps {
  attachments: readonly Attachment[] | undefined
  /** The HTML of the mail is shown, with its inline images. */
  isHtmlShown?: boolean
}

const MAX_WIDTH = 280
const MAX_HEIGHT = 200
/** A line of pixels can still be seen and clicked. */
const MIN_SIDE = 48
/** Size to draw an image whose dimensions are unknown. */
const UNKNOWN = { width: 160, height: 120 }
/** In bytes. A larger image loads only when it is opened. */
const MAX_THUMBNAIL_BYTES = 10 * 1024 * 1024

/** Formats that current browsers play. Others, such as AVI, are only downloaded. */
const PLAYABLE = [
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'audio/flac',
  'video/mp4',
  'video/webm',
  'video/quicktime',
]

const NOTES: [type: RegExp, note: string][] = [
  [/^application\/(?:vnd\.)?ms-tnef$/, 'A format that only Outlook opens.'],
  [/^application\/(?:x-)?pkcs7-mime$/, 'Encrypted or signed with S/MIME.'],
]

/** The files of a message: images as thumbnails, then the others. */
export function AttachmentList(props: AttachmentListProps) {
  const listed = createMemo(
    () => props.attachments?.filter((one) => !(props.isHtmlShown && isInHtml(one))) ?? [],
  )
  const images = createMemo(() => listed().filter(isThumbnail))
  const files = createMemo(() => listed().filter((one) => !isThumbnail(one)))
  return (
    <Show when={listed().length > 0}>
      <div class="attachment-list">
        <Show when={images().length > 0}>
          <ul class="attachment-list-images" aria-label="Images">
            <For each={images()}>
              {(image) => (
                <li>
                  <Thumbnail image={image} />
                </li>
              )}
            </For>
          </ul>
        </Show>
        <Show when={files().length > 0}>
          <ul class="attachment-list-files" aria-label="Files">
            <For each={files()}>
              {(file) => (
                <li>
                  <Show when={isPlayable(file)}>
                    <MediaPlayer file={file} />
                  </Show>
                  <FileRow file={file} />
                </li>
              )}
            </For>
          </ul>
        </Show>
      </div>
    </Show>
  )
}

/** Its size is known before it loads, so that nothing moves. */
function Thumbnail(props: { image: Attachment }) {
  const [fault, setFault] = createSignal<string>()
  const box = () => thumbnailSize(props.image)
  const title = () => `${props.image.name} · ${formatSize(props.image.size)}`
  return (
    <a
      class="attachment-list-thumbnail"
      href={attachmentUrl(props.image.id)}
      target="_blank"
      rel="noopener"
      aria-haspopup="dialog"
      aria-label={`View ${props.image.name}`}
      title={title()}
      data-image={props.image.id}
      style={{ width: `${box().width}px`, 'aspect-ratio': `${box().width} / ${box().height}` }}
      onClick={(event) => viewOnClick(event, props.image.id)}
    >
      <Show
        when={fault() === undefined}
        fallback={
          <span class="attachment-list-fault muted small" role="alert">
            <ImageOff />
            {fault()}
          </span>
        }
      >
        <img
          src={attachmentUrl(props.image.id)}
          alt=""
          width={box().width}
          height={box().height}
          loading="lazy"
          decoding="async"
          onError={async () => setFault((await attachmentFault(props.image.id)) ?? "Can't be shown")}
        />
      </Show>
    </a>
  )
}

function FileRow(props: { file: Attachment }) {
  const [fault, setFault] = createSignal<string>()
  const size = () => formatSize(props.file.size)
  async function open(event: MouseEvent) {
    if (isImage(props.file)) return viewOnClick(event, props.file.id)
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    setFault(await downloadAttachment(props.file))
  }
  return (
    <>
      <a
        class="attachment-list-file"
        href={attachmentUrl(props.file.id)}
        download={props.file.name}
        title={props.file.name}
        data-image={isImage(props.file) ? props.file.id : undefined}
        onClick={open}
      >
        <FileIcon type={props.file.type} />
        <span class="unseen">{isImage(props.file) ? 'View' : 'Download'}</span>
        <span class="attachment-list-name cut">{props.file.name}</span>
        <span class="attachment-list-size">{size()}</span>
        <Download />
      </a>
      <Show when={noteOn(props.file)}>{(note) => <p class="attachment-list-note">{note()}</p>}</Show>
      <Show when={fault()}>
        <p class="attachment-list-problem" role="alert">
          {fault()}
        </p>
      </Show>
    </>
  )
}

function isThumbnail(attachment: Attachment): boolean {
  return isImage(attachment) && attachment.size <= MAX_THUMBNAIL_BYTES
}

/** Whether the page can play it. */
function isPlayable({ type }: Pick<Attachment, 'type'>): boolean {
  return PLAYABLE.includes(type)
}

/** What a file is that no one can open as it is. */
function noteOn({ type }: Pick<Attachment, 'type'>): string | undefined {
  return NOTES.find(([known]) => known.test(type))?.[1]
}

/** In pixels. */
function thumbnailSize({ width, height }: Attachment): { width: number; height: number } {
  if (!width || !height) return UNKNOWN
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height)
  return {
    width: Math.max(MIN_SIDE, Math.round(width * scale)),
    height: Math.max(MIN_SIDE, Math.round(height * scale)),
  }
}

const ICONS: [type: RegExp, icon: typeof FileText][] = [
  [/^image\//, FileImage],
  [/^audio\//, FileMusic],
  [/^video\//, FilePlay],
  [/spreadsheet|ms-excel|apple\.numbers|^text\/csv/, FileSpreadsheet],
  [/zip|compressed|vnd\.rar/, FileArchive],
  [/^text\/|pdf|rtf|msword|officedocument|opendocument/, FileText],
]

/** An icon for the media type of a file. */
export function FileIcon(props: { type: string }) {
  const icon = () => ICONS.find(([type]) => type.test(props.type))?.[1] ?? FileIconBase
  return <Dynamic component={icon()} />
}

/** Plays a voice message, a song or a video. The browser loads its length at first, and the rest when it is played. */
function MediaPlayer(props: { file: Attachment }) {
  const [isUnplayable, setUnplayable] = createSignal(false)
  const isVideo = () => props.file.type.startsWith('video/')
  return (
    <Show
      when={!isUnplayable()}
      fallback={<p class="media-player-fault">This browser can't play it. Download it to play it.</p>}
    >
      <Dynamic
        component={isVideo() ? 'video' : 'audio'}
        class="media-player"
        controls
        playsinline
        preload="metadata"
        src={attachmentUrl(props.file.id)}
        aria-label={`Play ${props.file.name}`}
        onError={() => setUnplayable(true)}
      />
    </Show>
  )
}

/** Why a file can't be read, such as that it is missing on the server. Undefined if it can. */
export async function attachmentFault(id: string): Promise<string | undefined> {
  try {
    // Its first byte: the server checks all of the file.
    await ask(api.v1.attachments({ id }).get({ headers: { range: 'bytes=0-0' } }))
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

/** Saves a file. Returns why it can't be read, instead of a failed download that says nothing. */
export async function downloadAttachment({
  id,
  name,
}: {
  id: string
  name: string
}): Promise<string | undefined> {
  const fault = await attachmentFault(id)
  if (fault !== undefined) return fault
  const link = document.createElement('a')
  link.href = attachmentUrl(id)
  link.download = name
  link.click()
  return undefined
}
