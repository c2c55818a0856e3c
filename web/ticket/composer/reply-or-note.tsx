import Reply from 'lucide-solid/icons/reply'
import StickyNote from 'lucide-solid/icons/sticky-note'
import { For, type JSX, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { isBlank } from '../draft/draft-content.ts'
import type { DraftKind } from '../draft/draft-storage.ts'
import type { ComposerState } from './composer-state.ts'

interface ReplyOrNoteProps {
  composer: ComposerState
  onChange: (kind: DraftKind) => void
}

const KINDS: { kind: DraftKind; name: string; key: string; icon: () => JSX.Element }[] = [
  { kind: 'reply', name: 'Reply', key: 'r', icon: () => <Reply /> },
  { kind: 'note', name: 'Note', key: 'n', icon: () => <StickyNote /> },
]

/** Switches between the reply and the note, and marks the one with a draft that is not shown. */
export function ReplyOrNote(props: ReplyOrNoteProps) {
  const isShown = (kind: DraftKind) => props.composer.kind() === kind
  return (
    <fieldset class="reply-or-note">
      <legend class="unseen">Message type</legend>
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
            <Show when={!isShown(kind) && !isBlank(props.composer.drafts[kind].state())}>
              <span class="reply-or-note-draft"> Draft</span>
            </Show>
          </Button>
        )}
      </For>
    </fieldset>
  )
}
