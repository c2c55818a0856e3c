import { createMemo, For, Show } from 'solid-js'
import { Dialog } from '../ui/dialog.tsx'
import { KeyHint, keyShortcut } from '../ui/key-hint.tsx'
import { knownActions, SECTIONS } from './keys.ts'
import './key-sheet.css'

/** The keyboard shortcuts of this page. Those that need an open ticket are gray without one. */
export default function KeySheet(props: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Keyboard shortcuts" size="wide">
      <Sections />
    </Dialog>
  )
}

function Sections() {
  const sections = createMemo(() => {
    const actions = knownActions().filter(({ keys, isUnlisted }) => keys.length > 0 && !isUnlisted)
    return SECTIONS.map((title) => ({ title, actions: actions.filter(({ section }) => section === title) }))
  })
  return (
    <div class="key-sheet">
      <For each={sections().filter(({ actions }) => actions.length > 0)}>
        {({ title, actions }) => (
          <section class="key-sheet-section">
            <h3>{title}</h3>
            <dl>
              <For each={actions}>
                {(action) => (
                  <div class="key-sheet-line" data-disabled={action.isUnavailable}>
                    <dt>{action.label}</dt>
                    <dd>
                      <span class="unseen">
                        {action.keys.map(keyShortcut).join(', then ')}
                        <Show when={action.isUnavailable}> (open a ticket first)</Show>
                      </span>
                      <KeyHint keys={action.keys.join(' ')} />
                      <For each={action.otherKeys}>
                        {(keys) => (
                          <>
                            <span class="key-sheet-or">or</span>
                            <KeyHint keys={keys.join(' ')} />
                          </>
                        )}
                      </For>
                    </dd>
                  </div>
                )}
              </For>
            </dl>
          </section>
        )}
      </For>
      <Show when={sections().every(({ actions }) => actions.length === 0)}>
        <p>No shortcuts here.</p>
      </Show>
    </div>
  )
}
