import { Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import type { OpenDraft } from '../draft/drafts.ts'

const MAX_QUOTED = 80

/** Another version of the draft, from another tab or device: it replaces nothing unless the agent chooses it. */
export function OtherDraft(props: { draft: OpenDraft }) {
  return (
    <Show when={props.draft.state().other}>
      {(other) => (
        <div class="other-draft" role="status">
          <p>
            There's another version of this draft: <q>{quote(other().text)}</q>
          </p>
          <Button
            size="small"
            onClick={() => props.draft.dispatch({ type: 'other version used', now: Date.now() })}
          >
            Use it
          </Button>
          <Button
            size="small"
            look="quiet"
            onClick={() => props.draft.dispatch({ type: 'other version dropped' })}
          >
            Keep mine
          </Button>
        </div>
      )}
    </Show>
  )
}

function quote(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}
