import { Dialog } from '@kobalte/core/dialog'
import ChevronLeft from 'lucide-solid/icons/chevron-left'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import Download from 'lucide-solid/icons/download'
import X from 'lucide-solid/icons/x'
import ZoomIn from 'lucide-solid/icons/zoom-in'
import ZoomOut from 'lucide-solid/icons/zoom-out'
import { createEffect, createMemo, createSignal, on, Show } from 'solid-js'
import { formatSize } from '../../../server/text/sizes.ts'
import { announce } from '../../ui/announcer.tsx'
import { createFocusReturn } from '../../ui/focus-return.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { attachmentFault, downloadAttachment } from './attachment-list.tsx'
import { type Attachment, attachmentUrl } from './attachment-type.ts'
import './image-viewer.css'

interface ImageViewerProps {
  images: Attachment[]
  /** Id of the shown one. */
  shown: string
  onShow: (id: string) => void
  onClose: () => void
}

const ZOOM_STEP = 1.5
const MAX_ZOOM = 8
const MIN_ZOOM = 0.1

/** An image over the whole page, with the next and the previous one a key away. */
export function ImageViewer(props: ImageViewerProps) {
  const returnFocus = createFocusReturn(() => true)
  const at = createMemo(() =>
    Math.max(
      props.images.findIndex(({ id }) => id === props.shown),
      0,
    ),
  )
  const image = () => props.images[at()]
  /** Undefined while the whole image fits. At 1, each pixel of the image is one pixel of the page. */
  const [zoom, setZoom] = createSignal<number>()
  const [fault, setFault] = createSignal<string>()
  let element: HTMLImageElement | undefined
  /** After closing, the props can't be read. */
  let lastShown = ''

  // By id: reading the ticket again doesn't change what is shown.
  const shownId = createMemo(() => image()?.id)
  createEffect(
    on(shownId, (id = '') => {
      lastShown = id
      setZoom(undefined)
      setFault(undefined)
      const { images } = props
      if (images.length > 1) announce(`${image()?.name}, ${at() + 1} of ${images.length}`)
      preload(images[at() + 1])
    }),
  )

  function go(by: number) {
    const next = props.images[at() + by]
    if (next) props.onShow(next.id)
  }

  function zoomBy(factor: number) {
    const next = (zoom() ?? fittingZoom()) * factor
    setZoom(Math.min(Math.max(next, MIN_ZOOM), MAX_ZOOM))
  }

  function fittingZoom(): number {
    if (!element?.naturalWidth) return 1
    const { clientWidth, clientHeight, naturalWidth, naturalHeight } = element
    return Math.min(clientWidth / naturalWidth, clientHeight / naturalHeight, 1)
  }

  function zoomedWidth(): string | undefined {
    const factor = zoom()
    const width = image()?.width ?? element?.naturalWidth
    return factor === undefined || !width ? undefined : `${Math.round(width * factor)}px`
  }

  /** Two fingers on a touchpad arrive as a wheel with Control. */
  function zoomByWheel(event: WheelEvent) {
    if (!event.ctrlKey) return
    event.preventDefault()
    zoomBy(2 ** (-event.deltaY / 100))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const actions: Record<string, () => void> = {
      ArrowLeft: () => go(-1),
      ArrowRight: () => go(1),
      '+': () => zoomBy(ZOOM_STEP),
      '=': () => zoomBy(ZOOM_STEP),
      '-': () => zoomBy(1 / ZOOM_STEP),
      '0': () => setZoom(undefined),
      d: () => void download(),
    }
    const run = actions[event.key]
    if (!run) return
    event.preventDefault()
    run()
  }

  async function download() {
    const shown = image()
    const problem = shown && (await downloadAttachment(shown))
    if (problem) toastError(problem)
  }

  function onCloseAutoFocus() {
    const thumbnail = document.querySelector<HTMLElement>(`[data-image="${CSS.escape(lastShown)}"]`)
    if (thumbnail) thumbnail.focus({ preventScroll: true })
    else returnFocus()
  }

  return (
    <Dialog open onOpenChange={(isOpen) => !isOpen && props.onClose()} modal>
      <Dialog.Portal>
        <Dialog.Content
          class="image-viewer ringless"
          onKeyDown={onKeyDown}
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            if (event.target instanceof HTMLElement) event.target.focus()
          }}
          onCloseAutoFocus={onCloseAutoFocus}
        >
          <Show when={image()}>
            {(shown) => (
              <>
                <header class="image-viewer-head">
                  <Dialog.Title class="image-viewer-name cut" title={shown().name}>
                    {shown().name}
                  </Dialog.Title>
                  <span class="image-viewer-facts">{factsOf(shown())}</span>
                  <IconButton name="Zoom out" keys="-" onClick={() => zoomBy(1 / ZOOM_STEP)}>
                    <ZoomOut />
                  </IconButton>
                  <IconButton name="Zoom in" keys="+" onClick={() => zoomBy(ZOOM_STEP)}>
                    <ZoomIn />
                  </IconButton>
                  <IconButton name="Download" keys="d" onClick={() => void download()}>
                    <Download />
                  </IconButton>
                  <IconButton name="Close" keys="escape" onClick={props.onClose}>
                    <X />
                  </IconButton>
                </header>
                <div class="image-viewer-body">
                  <Show when={fault() === undefined} fallback={<p role="alert">{fault()}</p>}>
                    <section
                      class="image-viewer-scroller"
                      aria-label="Image"
                      tabIndex={zoom() === undefined ? undefined : 0}
                      data-zoomed={zoom() === undefined ? undefined : ''}
                      ref={(scroller) => {
                        scroller.addEventListener('pointerdown', startPan)
                        scroller.addEventListener('wheel', zoomByWheel)
                      }}
                    >
                      <img
                        class="image-viewer-image"
                        src={attachmentUrl(shown().id)}
                        alt={shown().name}
                        width={shown().width}
                        height={shown().height}
                        draggable={false}
                        style={{ width: zoomedWidth() }}
                        ref={element}
                        onError={async () =>
                          setFault(
                            (await attachmentFault(shown().id)) ??
                              "This image can't be shown. You can still download it.",
                          )
                        }
                      />
                    </section>
                  </Show>
                  <Show when={props.images.length > 1}>
                    <nav class="image-viewer-steps" aria-label="Images">
                      <IconButton
                        name="Previous image"
                        keys="left"
                        isUnavailable={at() === 0}
                        onClick={() => go(-1)}
                      >
                        <ChevronLeft />
                      </IconButton>
                      <span class="image-viewer-count">
                        {at() + 1} of {props.images.length}
                      </span>
                      <IconButton
                        name="Next image"
                        keys="right"
                        isUnavailable={at() === props.images.length - 1}
                        onClick={() => go(1)}
                      >
                        <ChevronRight />
                      </IconButton>
                    </nav>
                  </Show>
                </div>
              </>
            )}
          </Show>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  )
}

function factsOf({ width, height, size }: Attachment): string {
  return width && height ? `${width} × ${height} · ${formatSize(size)}` : formatSize(size)
}

function preload(image: Attachment | undefined): void {
  if (image) new Image().src = attachmentUrl(image.id)
}

/** Moves a zoomed image with the mouse. Fingers scroll it anyway. */
function startPan(event: PointerEvent): void {
  const scroller = event.currentTarget
  if (event.pointerType !== 'mouse' || event.button !== 0 || !(scroller instanceof HTMLElement)) return
  event.preventDefault()
  const start = { x: event.clientX + scroller.scrollLeft, y: event.clientY + scroller.scrollTop }
  const ended = new AbortController()
  const { signal } = ended
  scroller.setPointerCapture(event.pointerId)
  scroller.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => scroller.scrollTo(start.x - clientX, start.y - clientY),
    { signal },
  )
  scroller.addEventListener('lostpointercapture', () => ended.abort(), { signal })
}
