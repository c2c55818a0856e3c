import Tag from 'lucide-solid/icons/tag'
import { createMemo, For, Show } from 'solid-js'
import { useTags } from '../../api/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Picker, type PickerOption } from '../../ui/picker.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import type { FactPickerProps } from './status-picker.tsx'

/** More are counted, and named on hover. */
const MOST_SHOWN = 3

/** The tags of the ticket, and all others to add. */
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
          class="fact-button tags-button"
          title={tags().join(', ') || undefined}
        >
          <span class="unseen">{tags().length ? `Tags: ${tags().join(', ')}` : 'Add tags'}</span>
          <Tag />
          <span class="fact-tags" aria-hidden="true">
            <Show when={tags().length > 0} fallback="Tags">
              <For each={tags().slice(0, MOST_SHOWN)}>{(tag) => <Badge>{tag}</Badge>}</For>
              <Show when={tags().length > MOST_SHOWN}>+{tags().length - MOST_SHOWN}</Show>
            </Show>
          </span>
        </Button>
      )}
    />
  )
}
