import { createSignal, onMount, Show } from 'solid-js'
import type { Attachment } from '../contract.ts'
import { fill } from '../texts/texts.ts'
import { useWidget } from './widget-context.ts'

const IMAGES = /^image\/(?:png|jpeg|gif|webp|avif)$/
/** Larger ones are shown as a file. */
const MAX_IMAGE_BYTES = 12 * 1_048_576
const MAX_WIDTH = 480
const KIB = 1_024
/** In pixels. */
const NEAR_END = 160

/** A picture is drawn, because pages can forbid images of other origins, and `blob:` ones. */
export function ChatAttachment(props: { file: Attachment }) {
  const { client, texts } = useWidget()
  const [isDrawn, setDrawn] = createSignal(false)
  let canvas!: HTMLCanvasElement

  onMount(() => {
    if (IMAGES.test(props.file.type) && props.file.size <= MAX_IMAGE_BYTES) void draw()
  })

  async function draw(): Promise<void> {
    try {
      const picture = await createImageBitmap(await client.readFile(props.file.id))
      const scale = Math.min(1, MAX_WIDTH / picture.width)
      canvas.width = Math.max(1, picture.width * scale)
      canvas.height = Math.max(1, picture.height * scale)
      canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
      picture.close()
      const thread = canvas.closest('.chat-thread')
      const below = thread ? thread.scrollHeight - thread.scrollTop - thread.clientHeight : 0
      setDrawn(true)
      // Where the newest message was in view, it stays there.
      if (below < NEAR_END) thread?.scrollTo(0, thread.scrollHeight)
    } catch {
      // It stays a file.
    }
  }

  async function download(): Promise<void> {
    try {
      const address = URL.createObjectURL(await client.readFile(props.file.id))
      const link = document.createElement('a')
      link.href = address
      link.download = props.file.name
      link.click()
      setTimeout(URL.revokeObjectURL, 60_000, address)
    } catch {
      // The button can be pressed again.
    }
  }

  return (
    <button
      type="button"
      class="chat-attachment"
      classList={{ 'is-drawn': isDrawn() }}
      aria-label={fill(texts().download, { name: props.file.name })}
      title={props.file.name}
      onClick={() => void download()}
    >
      <canvas ref={canvas} class="chat-attachment-picture" hidden={!isDrawn()} />
      <Show when={!isDrawn()}>
        <ChatIcon path={FILE} />
        <span class="chat-panel-cut" dir="auto">
          {props.file.name}
        </span>
        <span class="chat-attachment-size chat-panel-soft">{sizeOf(props.file.size)}</span>
      </Show>
    </button>
  )
}

function sizeOf(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`
  return bytes < KIB * KIB ? `${Math.round(bytes / KIB)} KB` : `${(bytes / KIB / KIB).toFixed(1)} MB`
}

export const CLOSE = 'M6 6l12 12M18 6L6 18'
export const FILE = 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5'

/** Drawn in place, because pages can forbid images. */
export function ChatIcon(props: { path: string }) {
  return (
    <svg class="chat-panel-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={props.path} />
    </svg>
  )
}
