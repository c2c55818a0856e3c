import { Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import type { OpenDraft } from '../draft/drafts.ts'
import './composer.css'

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
