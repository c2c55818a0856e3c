import X from 'lucide-solid/icons/x'
import { For, type JSX, Show } from 'solid-js'
import { timeToCome, toLocalTime } from '../../api/server-clock.ts'
import { keepTicking, now } from '../../ui/relative-time.tsx'
import { useActionList } from '../changes/action-words.ts'
import type { Actions } from '../changes/actions.ts'
import { comingTime } from '../thread/times.ts'
import './draft-actions.css'

interface DraftActionsProps {
  /** What is done to the ticket when it is sent. */
  actions?: Actions | undefined
  /** When it is sent, by the server's clock. */
  sendAt: string | undefined
  onActions?: (actions: Actions | undefined) => void
  onSendAt: (sendAt: undefined) => void
  onRemoved: () => void
}

/** "Sends Mon, 9:00 AM ✕", "Then: resolve ✕ tag refund ✕": when a message is sent, and what is done to the ticket then. */
export function DraftActions(props: DraftActionsProps) {
  const listOf = useActionList()
  const actions = () => listOf(props.actions)
  return (
    <>
      <Show when={props.sendAt}>
        {(sendAt) => (
          <ul class="draft-actions" aria-label="When it is sent">
            <Chip
              removes="Don't send it later"
              onRemove={() => {
                props.onSendAt(undefined)
                props.onRemoved()
              }}
            >
              <SendTime at={sendAt()} />
            </Chip>
          </ul>
        )}
      </Show>
      <Show when={actions().length > 0}>
        <ul class="draft-actions" aria-label="Done when it is sent">
          <li class="muted" aria-hidden="true">
            Then:
          </li>
          <For each={actions()}>
            {({ words, without }) => (
              <Chip
                removes={`Don't ${words}`}
                onRemove={() => {
                  props.onActions?.(without)
                  props.onRemoved()
                }}
              >
                {words}
              </Chip>
            )}
          </For>
        </ul>
      </Show>
    </>
  )
}

/** "Sends Mon, 9:00 AM". Once that has passed, Send sends it at once. */
function SendTime(props: { at: string }) {
  keepTicking()
  const time = () => comingTime(new Date(toLocalTime(Date.parse(props.at))))
  const isToCome = () => now() > 0 && timeToCome(props.at) !== undefined
  return <>{isToCome() ? `Sends ${time()}` : `Was to be sent ${time()}: Send sends it now`}</>
}

function Chip(props: { removes: string; onRemove: () => void; children: JSX.Element }) {
  return (
    <li class="draft-actions-chip">
      <span class="cut">{props.children}</span>
      <button type="button" aria-label={props.removes} onClick={() => props.onRemove()}>
        <X />
      </button>
    </li>
  )
}
