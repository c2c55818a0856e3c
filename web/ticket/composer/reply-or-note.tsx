import Reply from 'lucide-solid/icons/reply'
import StickyNote from 'lucide-solid/icons/sticky-note'
import { For, type JSX, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { isBlank } from '../draft/draft-content.ts'
import type { DraftKind } from '../draft/draft-storage.ts'
import type { OpenDraft } from '../draft/drafts.ts'
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

const MAX_QUOTED = 80

/** The version of the draft that a newer one has replaced, from this tab or from another tab or device. */
export function OtherDraft(props: { draft: OpenDraft }) {
  return (
    <Show when={props.draft.state().other}>
      {(other) => (
        <div class="other-draft" role="status">
          <p>
            There's another version of this draft: <q>{quote(other().text)}</q>
          </p>
          <Button size="small" onClick={() => props.draft.restoreOther()}>
            Restore the other version
          </Button>
          <Button size="small" look="quiet" onClick={() => props.draft.dismissOther()}>
            Dismiss
          </Button>
        </div>
      )}
    </Show>
  )
}

function quote(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}
