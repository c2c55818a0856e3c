import { createMemo, For, Show } from 'solid-js'
import { Dialog } from '../ui/dialog.tsx'
import { KeyHint } from '../ui/key-hint.tsx'
import { knownActions, SECTIONS } from './keys.ts'
import './key-sheet.css'

/** All keys that do something on this page. */
export function KeySheet(props: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Keys" size="wide">
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
          <section class="key-section">
            <h3>{title}</h3>
            <dl>
              <For each={actions}>
                {(action) => (
                  <div class="key-line">
                    <dt>{action.label}</dt>
                    <dd>
                      <span class="unseen">{action.keys.join(', then ')}</span>
                      <KeyHint keys={action.keys.join(' ')} />
                      <For each={action.otherKeys}>
                        {(keys) => (
                          <>
                            <span class="key-or">or</span>
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
        <p>No keys do anything here.</p>
      </Show>
    </div>
  )
}
