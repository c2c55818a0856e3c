import { createEffect, createSignal, onCleanup, onMount, Show } from 'solid-js'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import type { Widget } from './widget-data.ts'

const SCRIPT = '/widget.js'
const COLOR = /^#[0-9a-f]{6}$/i
const MAX_FILE_BYTES = 25 * 1024 * 1024
const MAX_TEXT_LENGTH = 65_536

type Command = (name: 'preview', settings: object | null, into?: Element) => void

/** What to preview. */
export type SampleView = 'first' | 'conversation'

const VIEWS = [
  { value: 'conversation', label: 'Conversation' },
  { value: 'first', label: 'First message' },
] as const

interface WidgetPreviewProps {
  appearance: Widget['appearance']
  questions: Widget['questions']
  awayText: string
  view: SampleView
  onView: (view: SampleView) => void
}

/** The real widget with sample messages, drawn again with each change. It calls no server. */
export function WidgetPreview(props: WidgetPreviewProps) {
  let place: HTMLDivElement | undefined
  const [command, setCommand] = createSignal<Command>()
  const [isMissing, setMissing] = createSignal(false)
  onMount(
    () =>
      void loadScript()
        .then((loaded) => setCommand(() => loaded))
        .catch(() => setMissing(true)),
  )
  createEffect(() => {
    const run = command()
    if (!run || !place) return
    const { questions, awayText, view } = props
    const { color, ...appearance } = props.appearance
    // While a color is being typed, the previous one stays.
    if (!COLOR.test(color)) return
    run(
      'preview',
      {
        ...appearance,
        color,
        // A field without a label isn't asked yet.
        questions: { ...questions, fields: questions.fields.filter(({ label }) => label.trim() !== '') },
        sample: view,
        verifiedOnly: false,
        telegram: false,
        isOpen: true,
        awayText,
        opensAt: null,
        maxFileBytes: MAX_FILE_BYTES,
        maxTextLength: MAX_TEXT_LENGTH,
      },
      place,
    )
  })
  onCleanup(() => command()?.('preview', null))
  return (
    <section class="widget-preview" aria-label="Preview">
      <SegmentedControl label="What to preview" options={VIEWS} value={props.view} onChange={props.onView} />
      <div class="widget-preview-place" ref={place} />
      <Show when={isMissing()}>
        <p class="widget-preview-missing muted">Couldn't load the preview. Reload the page to try again.</p>
      </Show>
    </section>
  )
}

/** The script stays in the page, and waits for the next preview. */
function loadScript(): Promise<Command> {
  const loaded = previewOf()
  if (loaded) return Promise.resolve(loaded)
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = SCRIPT
    script.dataset.preview = ''
    script.dataset.key = ''
    script.onload = () => {
      const run = previewOf()
      if (run) resolve(run)
      else reject(new Error(`${SCRIPT} defined no command.`))
    }
    script.onerror = () => {
      script.remove()
      reject(new Error(`${SCRIPT} didn't load.`))
    }
    document.head.append(script)
  })
}

function previewOf(): Command | undefined {
  const run: unknown = Reflect.get(window, 'Bellhop')
  return typeof run === 'function' ? (...given) => void run(...given) : undefined
}
