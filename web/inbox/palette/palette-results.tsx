import { createEffect, createMemo, For, Show } from 'solid-js'
import { Marked } from '../../ticket/marked.tsx'
import { STATUSES } from '../../ticket/ticket-names.ts'
import { KeyHint } from '../../ui/key-hint.tsx'
import { OptionRow, type Options } from '../../ui/options.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { customerName } from '../list/ticket-row.tsx'
import { createEntries, type Entry } from './palette-entries.tsx'

export interface PaletteResultsProps {
  /** What was typed. */
  text: string
  options: Options
  /** Receives how many results there are, and what runs one of them. */
  onResults: (count: number, run: (place: number) => void) => void
  onClose: () => void
  ticketId?: string | undefined
  target?: string | undefined
  isSelection?: boolean
}

/** What the command menu finds. */
export function PaletteResults(props: PaletteResultsProps) {
  const entries = createEntries(() => props.text.trim(), props)
  const startsGroup = createMemo(() => {
    const groups = entries().map(({ group }) => group)
    return groups.map((group, index) => group !== groups[index - 1])
  })
  createEffect(() => props.onResults(entries().length, (place) => run(entries()[place])))

  function run(entry: Entry | undefined): void {
    if (!entry) return
    props.onClose()
    // By then the focus is back and the page listens to keys again.
    requestAnimationFrame(() => entry.run())
  }

  return (
    <>
      <div class="palette-list" role="listbox" id={props.options.listId} aria-label="Command menu">
        <For each={entries()}>
          {(entry, index) => (
            <>
              <Show when={startsGroup()[index()]}>
                <div class="menu-label cut" role="presentation">
                  {entry.group}
                </div>
              </Show>
              <OptionRow
                options={props.options}
                place={index()}
                onPick={() => run(entry)}
                onPoint={() => props.options.setActive(index())}
              >
                {entry.icon?.()}
                <span class="palette-text">
                  <span class="palette-label cut">{entry.label}</span>
                  <Show when={entry.ticket}>
                    {(row) => (
                      <span class="palette-match cut muted small">
                        {customerName(row())} ·{' '}
                        <Marked text={row().excerpt ?? row().preview.text} terms={entry.terms ?? []} />
                      </span>
                    )}
                  </Show>
                </span>
                <Show when={entry.detail}>
                  <span class="palette-detail cut">{entry.detail}</span>
                </Show>
                <Show when={entry.ticket}>
                  {(row) => (
                    <span class="palette-detail cut">
                      {STATUSES[row().status].name} · <RelativeTime at={row().lastMessageAt} />
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
