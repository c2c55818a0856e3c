import { createEffect, createMemo, createSignal, Show } from 'solid-js'
import { quoted } from '../../../server/search/query-language.ts'
import { api, ask } from '../../api/api.ts'
import { added, MAX_RECIPIENTS, type Recipient, type Recipients } from './address-list.ts'
import { RecipientField } from './recipient-field.tsx'
import './recipient-field.css'

interface RecipientsEditorProps {
  recipients: Recipients
  onChange: (recipients: Recipients) => void
  /** What is typed in one of the fields is no address yet. */
  onUnfinished?: (isUnfinished: boolean) => void
  suggest?: (text: string) => Promise<Recipient[]>
  /** Receives the To field. */
  field?: (field: HTMLInputElement) => void
}

/** Who gets an email: To, and Cc once it is needed. */
export function RecipientsEditor(props: RecipientsEditorProps) {
  const [isCcAsked, setCcAsked] = createSignal(false)
  const [isToUnfinished, setToUnfinished] = createSignal(false)
  const [isCcUnfinished, setCcUnfinished] = createSignal(false)
  /** Stays when its last recipient is removed. */
  const hasCc = createMemo<boolean>((had) => had || isCcAsked() || props.recipients.cc.length > 0, false)
  const isOverLimit = () => props.recipients.to.length + props.recipients.cc.length > MAX_RECIPIENTS

  createEffect(() => props.onUnfinished?.(isToUnfinished() || isCcUnfinished()))

  return (
    <div class="recipients-editor">
      <div class="recipients-editor-to">
        <RecipientField
          label="To"
          people={props.recipients.to}
          onChange={(to) => props.onChange({ to, cc: props.recipients.cc })}
          onUnfinished={setToUnfinished}
          suggest={props.suggest}
          error={isOverLimit() ? `An email can have at most ${MAX_RECIPIENTS} recipients.` : undefined}
          field={(element) => props.field?.(element)}
        />
        <Show when={!hasCc()}>
          <button type="button" class="recipients-editor-add text-button" onClick={() => setCcAsked(true)}>
            Cc
          </button>
        </Show>
      </div>
      <Show when={hasCc()}>
        <RecipientField
          label="Cc"
          people={props.recipients.cc}
          onChange={(cc) => props.onChange({ to: props.recipients.to, cc })}
          onUnfinished={setCcUnfinished}
          suggest={props.suggest}
          field={(element) => {
            if (isCcAsked() && props.recipients.cc.length === 0) queueMicrotask(() => element.focus())
          }}
        />
      </Show>
    </div>
  )
}

const MAX_TICKETS = 20
/** Shorter texts match nearly everyone. */
const MIN_LETTERS = 2

/** Customers whose name or address has a word that begins like this, those with the newest tickets first. */
export async function suggestCustomers(text: string): Promise<Recipient[]> {
  if (text.length < MIN_LETTERS) return []
  const words = text.split(/\s+/).map((word) => `from:${quoted(word)}`)
  const query = { q: words.join(' '), limit: MAX_TICKETS }
  const { data } = await ask(api.console.tickets.get({ query }))
  const people = data.flatMap(({ customer: { name, email } }) =>
    email === undefined ? [] : [{ name: isGuessed(name, email) ? '' : name, address: email }],
  )
  return added([], people)
}

/** Without a name, the server calls a customer by the part of the address before the `@`. */
function isGuessed(name: string, email: string): boolean {
  return email.startsWith(`${name}@`)
}
