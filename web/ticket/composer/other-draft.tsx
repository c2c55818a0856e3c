import { Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import type { DraftKeeper } from './draft-keeper.ts'

/** Another version of the draft, from another tab or device: it replaces nothing unless the agent says so. */
export function OtherDraft(props: { draft: DraftKeeper }) {
  return (
    <Show when={props.draft.other()}>
      {(other) => (
        <div class="other-draft" role="status">
          <p>
            This draft was also written in another tab or on another device: <q>{beginning(other().text)}</q>
          </p>
          <Button size="small" onClick={props.draft.takeOther}>
            Use that one
          </Button>
          <Button size="small" look="quiet" onClick={props.draft.dropOther}>
            Keep this
          </Button>
        </div>
      )}
    </Show>
  )
}

function beginning(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
