import { createEffect, createSignal, onCleanup, onMount, Show } from 'solid-js'
import { theme } from '../../browser/theme.ts'
import { Button } from '../../ui/button.tsx'
import { rangesOfHits } from '../marked.tsx'
import { fitFrame, passEventsOn } from './frame-fit.ts'
import './mail-frame.css'

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
