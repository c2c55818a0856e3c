import X from 'lucide-solid/icons/x'
import { For, Show } from 'solid-js'
import { useActionList } from '../changes/action-words.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import './draft-actions.css'

/** "Then: resolve ✕ tag refund ✕": what a saved reply does to the ticket when the reply is sent. */
export function DraftActions(props: { draft: OpenDraft; onRemoved: () => void }) {
  const listOf = useActionList()
  const actions = () => listOf(props.draft.state().actions)
  return (
    <Show when={actions().length > 0}>
      <ul class="draft-actions" aria-label="Done when it is sent">
        <li class="muted" aria-hidden="true">
          Then:
        </li>
        <For each={actions()}>
          {({ words, without }) => (
            <li class="draft-actions-chip">
              <span class="cut">{words}</span>
              <button
                type="button"
                aria-label={`Don't ${words}`}
                onClick={() => {
                  props.draft.changeActions(without)
                  props.onRemoved()
                }}
              >
                <X />
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  )
}
