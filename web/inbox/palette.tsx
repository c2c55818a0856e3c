import { createEffect, createMemo, createSignal, createUniqueId, For, on, Show } from 'solid-js'
import { KeyHint } from '../ui/key-hint.tsx'
import { Overlay } from './overlay.tsx'
import { createEntries, type Entry } from './palette-entries.tsx'
import type { Place } from './place.ts'

interface PaletteProps {
  isOpen: boolean
  onClose: () => void
  place: Place
}

/** Everything that can be done or gone to, found by a few letters of its name. */
export function Palette(props: PaletteProps) {
  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label="Commands">
      <PaletteBody place={props.place} onClose={props.onClose} />
    </Overlay>
  )
}

function PaletteBody(props: { place: Place; onClose: () => void }) {
  const listId = createUniqueId()
  const [text, setText] = createSignal('')
  const [active, setActive] = createSignal(0)
  const entries = createEntries(() => text().trim(), props.place)
  const activeId = () => (entries()[active()] ? `${listId}-${active()}` : undefined)
  createEffect(on(text, () => setActive(0), { defer: true }))
  createEffect(() => document.getElementById(activeId() ?? '')?.scrollIntoView({ block: 'nearest' }))
  const isNewGroup = createMemo(() => {
    const groups = entries().map(({ group }) => group)
    return groups.map((group, at) => group !== groups[at - 1])
  })

  function run(entry: Entry | undefined): void {
    if (!entry) return
    props.onClose()
    // The focus is back where it was by then, and the page listens to keys again.
    requestAnimationFrame(() => entry.run())
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    const count = Math.max(entries().length, 1)
    if (step) setActive((at) => (at + step + count) % count)
    else if (event.key === 'Enter') run(entries()[active()])
    else return
    event.preventDefault()
  }

  return (
    <>
      <input
        class="palette-input"
        role="combobox"
        aria-label="Command, view, person, ticket or saved reply"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={activeId()}
        placeholder="Type a command, or look for something"
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="palette-list" role="listbox" id={listId} aria-label="Commands">
        <For each={entries()}>
          {(entry, index) => (
            <>
              <Show when={isNewGroup()[index()]}>
                <div class="menu-label" role="presentation">
                  {entry.group}
                </div>
              </Show>
              <div
                class="menu-item"
                role="option"
                tabIndex={-1}
                id={`${listId}-${index()}`}
                aria-selected={index() === active()}
                data-highlighted={index() === active() ? '' : undefined}
                onPointerMove={() => setActive(index())}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => run(entry)}
                onKeyDown={onKeyDown}
              >
                {entry.icon?.()}
                <span class="menu-text">{entry.label}</span>
                <Show when={entry.detail}>
                  <span class="palette-detail">{entry.detail}</span>
                </Show>
                <Show when={entry.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
              </div>
            </>
          )}
        </For>
      </div>
      <Show when={entries().length === 0}>
        <p class="palette-empty">Nothing is called that.</p>
      </Show>
    </>
  )
}
