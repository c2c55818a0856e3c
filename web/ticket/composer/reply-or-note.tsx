import Reply from 'lucide-solid/icons/reply'
import StickyNote from 'lucide-solid/icons/sticky-note'
import { For, type JSX, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import type { Drafts } from './drafts.ts'
import type { DraftKind } from './stored-draft.ts'

interface WriteKindProps {
  drafts: Drafts
  onChange: (kind: DraftKind) => void
}

const KINDS: { kind: DraftKind; name: string; key: string; icon: () => JSX.Element }[] = [
  { kind: 'reply', name: 'Reply', key: 'r', icon: () => <Reply /> },
  { kind: 'note', name: 'Note', key: 'n', icon: () => <StickyNote /> },
]

/** To the customer, or to the team: two texts, and a mark where something has been begun in the other one. */
export function WriteKind(props: WriteKindProps) {
  const isShown = (kind: DraftKind) => props.drafts.kind() === kind
  return (
    <fieldset class="write-kind">
      <legend class="unseen">What is written</legend>
      <For each={KINDS}>
        {({ kind, name, key, icon }) => (
          <Button
            size="small"
            look="quiet"
            aria-pressed={isShown(kind)}
            aria-keyshortcuts={key}
            icon={icon()}
            onClick={() => props.onChange(kind)}
          >
            {name}
            <Show when={!isShown(kind) && !props.drafts.of[kind].isBlank()}>
              <span class="write-begun"> Draft</span>
            </Show>
          </Button>
        )}
      </For>
    </fieldset>
  )
}
