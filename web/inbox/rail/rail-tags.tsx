import Tag from 'lucide-solid/icons/tag'
import Tags from 'lucide-solid/icons/tags'
import { createMemo, createSignal, For, Show } from 'solid-js'
import { useTags } from '../../api/workspace.ts'
import { PickerList, type PickerOption } from '../../ui/picker.tsx'
import { useCounts } from '../inbox-data.ts'
import type { Place } from '../location.ts'
import { Overlay } from '../palette/overlay.tsx'
import { RailLink } from './rail-link.tsx'
import { tagView } from './views.ts'

/** The rail stays short: all others are behind a search. */
const MOST_TAGS = 12

interface RailTagsProps {
  place: Place
  onLeave?: () => void
}

/** The tags that most open tickets have, and the way to all others. */
export function RailTags(props: RailTagsProps) {
  const counts = useCounts()
  const [isOpen, setOpen] = createSignal(false)
  const used = createMemo(() => counts()?.tags.toSorted(byUse) ?? [])
  const shown = createMemo(() => used().slice(0, MOST_TAGS))
  return (
    <Show when={used().length > 0}>
      <h2 class="rail-title">Tags</h2>
      <ul>
        <For each={shown()}>
          {({ tag, count }) => (
            <li>
              <RailLink
                view={tagView(tag)}
                place={props.place}
                icon={Tag}
                count={count}
                onLeave={props.onLeave}
              />
            </li>
          )}
        </For>
        <Show when={used().length > MOST_TAGS}>
          <li>
            <button type="button" class="nav-link rail-all" onClick={() => setOpen(true)}>
              <Tags />
              <span>All tags…</span>
            </button>
          </li>
        </Show>
      </ul>
      <AllTags isOpen={isOpen()} onClose={() => setOpen(false)} {...props} />
    </Show>
  )
}

/** Every tag there is, found by typing. */
function AllTags(props: RailTagsProps & { isOpen: boolean; onClose: () => void }) {
  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label="All tags" isSmall>
      <TagList {...props} />
    </Overlay>
  )
}

function TagList(props: RailTagsProps & { onClose: () => void }) {
  const counts = useCounts()
  const tags = useTags()
  const options = createMemo((): PickerOption[] => {
    const open = new Map(counts()?.tags.map(({ tag, count }) => [tag, count]))
    const known = tags().map(({ tag }) => ({ tag, count: open.get(tag) ?? 0 }))
    return known.toSorted(byUse).map(({ tag, count }) => ({
      value: tag,
      label: tag,
      detail: `${count} open`,
      icon: <Tag />,
    }))
  })

  function go(tag: string): void {
    props.onLeave?.()
    props.place.openView(tagView(tag).id)
  }

  return (
    <PickerList
      label="Find a tag"
      options={options()}
      selected={[]}
      onPick={go}
      onDone={props.onClose}
      emptyText="No tag is called that."
    />
  )
}

function byUse(one: { tag: string; count: number }, other: { tag: string; count: number }): number {
  return other.count - one.count || one.tag.localeCompare(other.tag, 'en', { numeric: true })
}
