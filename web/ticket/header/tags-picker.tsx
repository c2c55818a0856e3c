import Tag from 'lucide-solid/icons/tag'
import { createMemo, For, Show } from 'solid-js'
import { useTags } from '../../api/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Picker, type PickerOption } from '../../ui/picker.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import type { FactPickerProps } from './status-picker.tsx'

/** The others are counted, and named in the tooltip. A narrow header shows one (see ticket-header.css). */
const MAX_SHOWN = 3

/** The tags of the ticket. */
export function TagsPicker(props: FactPickerProps) {
  const known = useTags()
  const tags = () => props.ticket.tags
  const options = createMemo<PickerOption[]>(() => {
    const others = known()
      .map(({ tag }) => tag)
      .filter((tag) => !tags().includes(tag))
    return [...tags(), ...others].map((tag) => ({ value: tag, label: tag }))
  })
  const toggle = (tag: string) =>
    void changeTicket(props.ticket.id, tags().includes(tag) ? { removeTags: [tag] } : { addTags: [tag] })
  return (
    <Picker
      label="Add or remove tags"
      isMultiple
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      options={options()}
      selected={tags()}
      onPick={toggle}
      onCreate={toggle}
      emptyText="No tags yet. Type one to create it."
      trigger={(given) => (
        <Button
          {...given}
          size="small"
          class="ticket-header-fact tags-picker-button"
          title={tags().join(', ') || undefined}
        >
          <span class="unseen">{tags().length ? `Tags: ${tags().join(', ')}` : 'Add tags'}</span>
          <Tag />
          <span class="tags-picker-tags" aria-hidden="true">
            <Show when={tags().length > 0} fallback="Tags">
              <For each={tags().slice(0, MAX_SHOWN)}>{(tag) => <Badge>{tag}</Badge>}</For>
              <Show when={tags().length > 1}>
                <span class="tags-picker-more-narrow">+{tags().length - 1}</span>
              </Show>
              <Show when={tags().length > MAX_SHOWN}>
                <span class="tags-picker-more-wide">+{tags().length - MAX_SHOWN}</span>
              </Show>
            </Show>
          </span>
        </Button>
      )}
    />
  )
}
