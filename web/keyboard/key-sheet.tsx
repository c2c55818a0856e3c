import { createMemo, For, Show } from 'solid-js'
import { Dialog } from '../ui/dialog.tsx'
import { KeyHint, keyShortcut } from '../ui/key-hint.tsx'
import { actionsIn, type KeyAction, knownActions, SECTIONS } from './keys.ts'
import './key-sheet.css'

interface KeySheetProps {
  isOpen: boolean
  onClose: () => void
  /** Tickets can be opened on this page. */
  hasTickets?: boolean
}

/** The keyboard shortcuts of this page. Those that need an open ticket are gray without one. */
export default function KeySheet(props: KeySheetProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Keyboard shortcuts" size="wide">
      <Sections hasTickets={props.hasTickets ?? false} />
    </Dialog>
  )
}

function Sections(props: { hasTickets: boolean }) {
  const sections = createMemo(() => {
    const known = knownActions()
    const ids = new Set(known.map(({ id }) => id))
    const unavailable = props.hasTickets ? OF_TICKETS.filter(({ id }) => !ids.has(id)) : []
    const actions = [...known, ...unavailable].filter(
      ({ keys, isUnlisted }) => keys.length > 0 && !isUnlisted,
    )
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

/** What an open ticket registers, listed in gray without one. */
const OF_TICKETS = [
  ...unavailable('Reply', [
    ['ticket.reply', 'Reply', 'r'],
    ['ticket.note', 'Internal note', 'n'],
    ['ticket.use-suggestion', 'Use suggested reply', 'y'],
    ['ticket.send', 'Send', 'mod+enter'],
    ['ticket.send-next', 'Send, resolve and next', 'mod+shift+enter'],
    ['ticket.leave-field', 'Close reply (draft is kept)', 'escape'],
    ['ticket.attach', 'Attach files', 'mod+u'],
    ['format.bold', 'Bold', 'mod+b'],
    ['format.italic', 'Italic', 'mod+i'],
    ['format.bulleted list', 'Bulleted list', 'mod+shift+8'],
    ['format.numbered list', 'Numbered list', 'mod+shift+7'],
    ['format.quote', 'Quote', 'mod+shift+9'],
    ['format.code', 'Code', 'mod+e'],
    ['format.link', 'Link', 'mod+k'],
    ['format.palette', 'Command menu from the reply', 'mod+k', 'mod+k'],
  ]),
  ...unavailable('Ticket', [
    ['ticket.merge', 'Merge into…', 'm'],
    ['ticket.follow', 'Follow', 'f'],
  ]),
]

function unavailable(section: KeyAction['section'], actions: [string, string, ...string[]][]): KeyAction[] {
  return actionsIn(
    section,
    actions.map(([id, label, ...keys]) => ({ id, label, keys, isUnavailable: true, run: () => {} })),
  )
}
