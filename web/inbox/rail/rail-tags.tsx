import ChevronDown from 'lucide-solid/icons/chevron-down'
import Tag from 'lucide-solid/icons/tag'
import Tags from 'lucide-solid/icons/tags'
import { createMemo, createSignal, For, Show } from 'solid-js'
import { useTags } from '../../api/workspace.ts'
import { readStored, store } from '../../browser/local-storage.ts'
import { PickerList, type PickerOption } from '../../ui/picker.tsx'
import { useCounts } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import { Overlay } from '../palette/overlay.tsx'
import { RailLink } from './rail-link.tsx'
import { tagView } from './views.ts'

/** The rail stays short; All tags finds the rest. */
const MAX_TAGS = 12
const COLLAPSED_KEY = 'bellhop.tagsCollapsed'

interface RailTagsProps {
  location: InboxLocation
  onNavigate?: () => void
}

const [isCollapsed, setCollapsedSignal] = createSignal(
  readStored(COLLAPSED_KEY, (value) => typeof value === 'boolean', false),
)

function setCollapsed(is: boolean): void {
  setCollapsedSignal(is)
  store(COLLAPSED_KEY, is)
}

/** The tags with the most open tickets, and a picker for all tags. */
export function RailTags(props: RailTagsProps) {
  const counts = useCounts()
  const [isOpen, setOpen] = createSignal(false)
  const used = createMemo(() => counts()?.tags.toSorted(byCount) ?? [])
  const shown = createMemo(() => used().slice(0, MAX_TAGS))
  return (
    <Show when={used().length > 0}>
      <h2 class="rail-section muted small">
        <button
          type="button"
          class="rail-tags-toggle text-button"
          aria-expanded={!isCollapsed()}
          onClick={() => setCollapsed(!isCollapsed())}
        >
          Tags
          <ChevronDown />
        </button>
      </h2>
      <ul hidden={isCollapsed()}>
        <For each={shown()}>
          {({ tag, count }) => (
            <li>
              <RailLink
                view={tagView(tag)}
                location={props.location}
                count={count}
                onNavigate={props.onNavigate}
              />
            </li>
          )}
        </For>
        <Show when={used().length > MAX_TAGS}>
          <li>
            <button type="button" class="nav-link rail-tags-all" onClick={() => setOpen(true)}>
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

/** A picker for every tag. */
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
    return known.toSorted(byCount).map(({ tag, count }) => ({
      value: tag,
      label: tag,
      detail: `${count} open`,
      icon: <Tag />,
    }))
  })

  function go(tag: string): void {
    props.onNavigate?.()
    props.location.openView(tagView(tag).id)
  }

  return (
    <PickerList
      label="Find a tag"
      options={options()}
      selected={[]}
      onPick={go}
      onDone={props.onClose}
      emptyText="No results"
    />
  )
}

function byCount(one: { tag: string; count: number }, other: { tag: string; count: number }): number {
  return other.count - one.count || one.tag.localeCompare(other.tag, 'en', { numeric: true })
}
