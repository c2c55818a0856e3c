import { createEffect, createSignal, onCleanup, onMount, Show } from 'solid-js'
import { theme } from '../../browser/theme.ts'
import { Button } from '../../ui/button.tsx'
import { splitAtHits } from '../marked.tsx'
import './mail-body.css'

/** Frames load this far outside of the visible part of the thread. */
const LOAD_AHEAD_PX = 800
const LINE_PX = 21
const CHARACTERS_PER_LINE = 80
const MIN_GUESS_PX = 60
const MAX_GUESS_PX = 900

interface MailFrameProps {
  /** URL of the page in the frame. */
  src: string
  /** For screen readers. */
  title: string
  /** The text of the mail: its length tells about how high the frame will be. */
  text: string
  terms: readonly string[]
  /** Loaded; whether it leaves out a quote. */
  onQuote: (isHidden: boolean) => void
  /** Shows the text instead. */
  onGiveUp: () => void
}

/** Heights of frames that were shown before, so that nothing moves when they are shown again. */
const knownHeights = new Map<string, number>()

/** A mail with its formatting, in a frame that runs nothing. It loads when it comes near the visible part. */
export function MailFrame(props: MailFrameProps) {
  const [isNear, setNear] = createSignal(false)
  const [hasFailed, setFailed] = createSignal(false)
  const [height, setHeight] = createSignal(knownHeights.get(props.src) ?? guess(props.text))
  let place: HTMLDivElement | undefined

  onMount(() => {
    if (!place) return
    const near = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
      root: place.closest('.thread-scroll'),
      rootMargin: `${LOAD_AHEAD_PX}px 0px`,
    })
    near.observe(place)
    onCleanup(() => near.disconnect())
  })

  return (
    <div class="mail-frame" ref={place} style={{ 'min-height': hasFailed() ? undefined : `${height()}px` }}>
      <Show
        when={!hasFailed()}
        fallback={
          <p class="mail-frame-failed" role="alert">
            Couldn't load the formatting.
            <Button size="small" onClick={() => setFailed(false)}>
              Try again
            </Button>
            <Button size="small" look="quiet" onClick={props.onGiveUp}>
              Show plain text
            </Button>
          </p>
        }
      >
        {/* A new element for each address: another address in the same one would be a step of the browser's Back button. */}
        <Show when={isNear() && props.src} keyed>
          {(src) => (
            <Frame
              {...props}
              src={src}
              height={height()}
              onFit={(heightPx) => {
                knownHeights.set(src, heightPx)
                setHeight(heightPx)
              }}
              onFail={() => setFailed(true)}
            />
          )}
        </Show>
      </Show>
    </div>
  )
}

interface FrameProps extends MailFrameProps {
  height: number
  onFit: (heightPx: number) => void
  onFail: () => void
}

function Frame(props: FrameProps) {
  const [isLoaded, setLoaded] = createSignal(false)
  const [isInset, setInset] = createSignal(false)
  let frame: HTMLIFrameElement | undefined
  let stopFitting = () => {}
  onCleanup(() => stopFitting())

  function onLoad(): void {
    // Without a session or a connection, the frame has an error.
    if (!frame?.contentDocument?.querySelector('meta[name="referrer"]')) {
      props.onFail()
      return
    }
    const { body } = frame.contentDocument
    setInset(body.hasAttribute('data-background'))
    stopFitting()
    stopFitting = fitFrame(frame, props.onFit)
    passEventsOn(frame)
    props.onQuote(body.hasAttribute('data-hides-quote'))
    setLoaded(true)
  }

  createEffect(() => {
    // Also when the theme changes.
    theme()
    if (!isLoaded() || !frame?.contentDocument) return
    frame.contentDocument.documentElement.style.colorScheme = getComputedStyle(frame).colorScheme
  })

  createEffect(() => {
    if (isLoaded() && frame) markHits(frame, props.terms)
  })

  return (
    <iframe
      class="mail-frame-paper"
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerpolicy="no-referrer"
      title={props.title}
      src={props.src}
      style={{ height: `${props.height}px` }}
      data-loaded={isLoaded() || undefined}
      data-inset={isInset() || undefined}
      ref={frame}
      onLoad={onLoad}
    />
  )
}

function guess(text: string): number {
  const lines = text.split('\n')
  const count = lines.reduce((sum, line) => sum + Math.ceil((line.length + 1) / CHARACTERS_PER_LINE), 0)
  return Math.min(Math.max(count * LINE_PX, MIN_GUESS_PX), MAX_GUESS_PX)
}

/** Marks what was searched for. The frame has the style for it. */
function markHits(frame: HTMLIFrameElement, terms: readonly string[]): void {
  const { contentDocument } = frame
  const inside = contentDocument?.defaultView
  if (!contentDocument || !inside || terms.length === 0) return
  // Not in all supported browsers.
  if (!('highlights' in CSS)) return
  inside.CSS.highlights.set('search', new inside.Highlight(...rangesOfHits(contentDocument.body, terms)))
}

/** Where the hits are in a part of a page. A hit across two elements is not found. */
function rangesOfHits(root: Element, terms: readonly string[]): Range[] {
  const texts = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const ranges: Range[] = []
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    let start = 0
    for (const { text, isHit } of splitAtHits(node.nodeValue ?? '', terms)) {
      const end = start + text.length
      if (isHit) {
        const range = root.ownerDocument.createRange()
        range.setStart(node, start)
        range.setEnd(node, end)
        ranges.push(range)
      }
      start = end
    }
  }
  return ranges
}

/** Changes of size that a frame follows. A mail whose height depends on its frame would grow forever. */
const MAX_FITS = 60
/** A wide mail is made smaller, but not so small that no one can read it. Wider ones scroll. */
const MIN_ZOOM = 0.6
const MAX_HEIGHT_PX = 30_000

/** Keeps a frame as high as the mail in it, and the mail as wide as the frame. Returns the function that ends it. */
function fitFrame(frame: HTMLIFrameElement, onFit: (heightPx: number) => void): () => void {
  const { contentDocument, contentWindow } = frame
  if (!contentDocument || !contentWindow) return () => {}
  const { documentElement: root, body } = contentDocument
  let fits = 0
  let width = 0
  let zoom = 1

  function fit(): void {
    if (frame.clientWidth !== width) {
      width = frame.clientWidth
      fits = 0
      body.style.zoom = ''
      const needed = root.scrollWidth
      zoom = width > 0 && needed > width + 1 ? Math.max(MIN_ZOOM, width / needed) : 1
      if (zoom < 1) body.style.zoom = String(zoom)
    }
    fits += 1
    if (fits > MAX_FITS) return
    const scrollBar = root.scrollWidth > root.clientWidth + 1 ? frame.clientHeight - root.clientHeight : 0
    const height = Math.max(root.getBoundingClientRect().height, body.scrollHeight * zoom) + scrollBar
    onFit(Math.min(Math.ceil(height), MAX_HEIGHT_PX))
  }

  const sizes = new ResizeObserver(fit)
  sizes.observe(body)
  sizes.observe(frame)
  // An image that loads can be wider than everything else.
  const onLoad = () => {
    width = 0
    fit()
  }
  contentDocument.addEventListener('load', onLoad, { capture: true })
  fit()
  return () => sizes.disconnect()
}

/** Keys and presses in a frame count as pressed on the page: shortcuts work, and open menus close. */
function passEventsOn(frame: HTMLIFrameElement): void {
  const inside = frame.contentDocument
  inside?.addEventListener('keydown', (event) => {
    const { key, code, keyCode, location, repeat, isComposing } = event
    const { shiftKey, ctrlKey, altKey, metaKey } = event
    const copy = new KeyboardEvent('keydown', {
      ...{ key, code, keyCode, location, repeat, isComposing, shiftKey, ctrlKey, altKey, metaKey },
      modifierAltGraph: event.getModifierState('AltGraph'),
      bubbles: true,
      cancelable: true,
    })
    if (!frame.dispatchEvent(copy)) event.preventDefault()
  })
  inside?.addEventListener('pointerdown', ({ button, pointerType }) => {
    frame.dispatchEvent(new PointerEvent('pointerdown', { button, pointerType, bubbles: true }))
  })
}
