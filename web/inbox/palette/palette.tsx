import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js'
import { isComposing } from '../../ui/ime.ts'
import { KeyHint } from '../../ui/key-hint.tsx'
import { createOptions, OptionRow } from '../../ui/options.tsx'
import { Overlay } from './overlay.tsx'
import { createEntries, type Entry } from './palette-entries.tsx'

interface PaletteProps {
  isOpen: boolean
  onClose: () => void
  /** The ticket that is open, for saved replies. */
  ticketId?: string
}

/** Everything that can be done or gone to, found by a few letters of its name. */
export function Palette(props: PaletteProps) {
  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label="Commands">
      <PaletteBody ticketId={props.ticketId} onClose={props.onClose} />
    </Overlay>
  )
}

function PaletteBody(props: Omit<PaletteProps, 'isOpen'>) {
  const [text, setText] = createSignal('')
  const entries = createEntries(
    () => text().trim(),
    () => props.ticketId,
  )
  const options = createOptions(() => entries().length)
  createEffect(on(text, options.reset, { defer: true }))
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
    if (isComposing(event) || options.move(event) || event.key !== 'Enter') return
    event.preventDefault()
    run(entries()[options.active()])
  }

  return (
    <>
      <input
        {...options.field}
        role="combobox"
        class="palette-input"
        aria-label="Command, view, person, ticket or saved reply"
        aria-expanded="true"
        placeholder="Type a command, or look for something"
        autofocus
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="palette-list" role="listbox" id={options.listId} aria-label="Commands">
        <For each={entries()}>
          {(entry, index) => (
            <>
              <Show when={isNewGroup()[index()]}>
                <div class="menu-label" role="presentation">
                  {entry.group}
                </div>
              </Show>
              <OptionRow
                options={options}
                place={index()}
                onPick={() => run(entry)}
                onPoint={() => options.setActive(index())}
              >
                {entry.icon?.()}
                <span class="menu-text">{entry.label}</span>
                <Show when={entry.detail}>
                  <span class="palette-detail">{entry.detail}</span>
                </Show>
                <Show when={entry.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
              </OptionRow>
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
