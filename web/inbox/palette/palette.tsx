import { createEffect, createSignal, on, onMount } from 'solid-js'
import { lazyPart } from '../../live/lazy-page.tsx'
import { isComposing } from '../../ui/ime.ts'
import { createOptions } from '../../ui/options.tsx'
import { Overlay } from './overlay.tsx'
import type { PaletteResultsProps } from './palette-results.tsx'
import './palette.css'

/** Loaded soon after the page, or when the menu opens. */
const PaletteResults = lazyPart(
  async () => (await import('./palette-results.tsx')).PaletteResults,
  () => <p class="palette-empty">Couldn't load. Check your connection, or reload the page.</p>,
)

/** Loads what the command menu shows, before it is opened. */
export function preloadPalette(): Promise<unknown> {
  return PaletteResults.preload()
}

interface PaletteProps {
  isOpen: boolean
  onClose: () => void
  /** The open ticket, which saved replies are inserted in. */
  ticketId?: string | undefined
  /** Names the ticket or tickets that actions change. */
  target?: string | undefined
  /** The actions change the selected tickets. */
  isSelection?: boolean
}

/** The command menu: finds actions, views, agents, tickets and saved replies by a few letters. */
export function Palette(props: PaletteProps) {
  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label="Command menu">
      <PaletteBody {...props} />
    </Overlay>
  )
}

function PaletteBody(props: PaletteProps) {
  const [text, setText] = createSignal('')
  const [count, setCount] = createSignal(0)
  const options = createOptions(count)
  let run: Parameters<PaletteResultsProps['onResults']>[1] | undefined
  /** Enter was pressed while the results were being loaded. */
  let isOwed = false
  let input: HTMLInputElement | undefined
  createEffect(on(text, options.reset, { defer: true }))
  // The dialog would do that later, and lose the first letters.
  onMount(() => input?.focus())

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event) || options.move(event) || event.key !== 'Enter') return
    event.preventDefault()
    if (run) run(options.active())
    else isOwed = true
  }

  return (
    <>
      <input
        {...options.field}
        role="combobox"
        class="palette-input ringless"
        ref={input}
        aria-label="Search commands, views, agents, tickets and saved replies"
        aria-expanded="true"
        placeholder="Search or type a command…"
        autofocus
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <PaletteResults
        {...props}
        text={text()}
        options={options}
        onResults={(found, runOne) => {
          setCount(found)
          run = runOne
          if (!isOwed) return
          isOwed = false
          run(0)
        }}
      />
    </>
  )
}
