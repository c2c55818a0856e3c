import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js'
import { STATUSES } from '../../ticket/header/statuses.ts'
import { Marked } from '../../ticket/marked.tsx'
import { isComposing } from '../../ui/ime.ts'
import { KeyHint } from '../../ui/key-hint.tsx'
import { createOptions, OptionRow } from '../../ui/options.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { customerName } from '../list/ticket-row.tsx'
import { Overlay } from './overlay.tsx'
import { createEntries, type Entry } from './palette-entries.tsx'
import './palette.css'

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
  const entries = createEntries(() => text().trim(), props)
  const options = createOptions(() => entries().length)
  createEffect(on(text, options.reset, { defer: true }))
  const startsGroup = createMemo(() => {
    const groups = entries().map(({ group }) => group)
    return groups.map((group, index) => group !== groups[index - 1])
  })

  function run(entry: Entry | undefined): void {
    if (!entry) return
    props.onClose()
    // By then the focus is back and the page listens to keys again.
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
        aria-label="Search commands, views, agents, tickets and saved replies"
        aria-expanded="true"
        placeholder="Search or type a command…"
        autofocus
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="palette-list" role="listbox" id={options.listId} aria-label="Command menu">
        <For each={entries()}>
          {(entry, index) => (
            <>
              <Show when={startsGroup()[index()]}>
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
                <span class="palette-text">
                  <span class="palette-label">{entry.label}</span>
                  <Show when={entry.ticket}>
                    {(row) => (
                      <span class="palette-match">
                        {customerName(row())} ·{' '}
                        <Marked text={row().excerpt ?? row().preview.text} terms={entry.terms ?? []} />
                      </span>
                    )}
                  </Show>
                </span>
                <Show when={entry.detail}>
                  <span class="palette-detail">{entry.detail}</span>
                </Show>
                <Show when={entry.ticket}>
                  {(row) => (
                    <span class="palette-detail">
                      {STATUSES[row().status].name} · <RelativeTime at={row().updatedAt} />
                    </span>
                  )}
                </Show>
                <Show when={entry.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
              </OptionRow>
            </>
          )}
        </For>
      </div>
      <Show when={entries().length === 0}>
        <p class="palette-empty">No results</p>
      </Show>
    </>
  )
}
