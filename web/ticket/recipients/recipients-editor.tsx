import { createEffect, createMemo, createSignal, For } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { added, excessFault, type Recipient, type Recipients } from './address-list.ts'
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

/** Who gets an email: To, and Cc and Bcc once they are needed. */
export function RecipientsEditor(props: RecipientsEditorProps) {
  const [asked, setAsked] = createSignal<readonly CopyField[]>([])
  const [unfinished, setUnfinished] = createSignal<readonly string[]>([])
  const peopleOf = (field: CopyField) => props.recipients[field] ?? []
  /** A field stays when its last recipient is removed. */
  const shown = createMemo<CopyField[]>(
    (before) =>
      COPY_FIELDS.filter(
        (field) => before.includes(field) || asked().includes(field) || peopleOf(field).length > 0,
      ),
    [],
  )

  createEffect(() => props.onUnfinished?.(unfinished().length > 0))

  function markUnfinished(field: string, isUnfinished: boolean): void {
    setUnfinished((known) => [...known.filter((one) => one !== field), ...(isUnfinished ? [field] : [])])
  }

  return (
    <div class="recipients-editor">
      <div class="recipients-editor-to">
        <RecipientField
          label="To"
          people={props.recipients.to}
          onChange={(to) => props.onChange({ ...fieldsOf(props.recipients), to })}
          onUnfinished={(isUnfinished) => markUnfinished('to', isUnfinished)}
          suggest={props.suggest}
          error={excessFault(props.recipients)}
          field={(element) => props.field?.(element)}
        />
        <div class="recipients-editor-more">
          <For each={COPY_FIELDS.filter((field) => !shown().includes(field))}>
            {(field) => (
              <button
                type="button"
                class="recipients-editor-add text-button"
                onClick={() => setAsked((known) => [...known, field])}
              >
                {COPY_NAMES[field]}
              </button>
            )}
          </For>
        </div>
      </div>
      <For each={shown()}>
        {(field) => (
          <RecipientField
            label={COPY_NAMES[field]}
            people={peopleOf(field)}
            onChange={(people) => props.onChange({ ...fieldsOf(props.recipients), [field]: people })}
            onUnfinished={(isUnfinished) => markUnfinished(field, isUnfinished)}
            suggest={props.suggest}
            field={(element) => {
              if (asked().includes(field) && peopleOf(field).length === 0) {
                queueMicrotask(() => element.focus())
              }
            }}
          />
        )}
      </For>
    </div>
  )
}

type CopyField = 'cc' | 'bcc'
const COPY_FIELDS: CopyField[] = ['cc', 'bcc']
const COPY_NAMES: Record<CopyField, string> = { cc: 'Cc', bcc: 'Bcc' }

/** Without what else the object of the page has. */
function fieldsOf({ to, cc, bcc }: Recipients): Recipients {
  return { to, cc, ...(bcc && { bcc }) }
}

const MAX_CUSTOMERS = 20
/** Shorter texts match nearly everyone. */
const MIN_LETTERS = 2
/** The limit of the API. */
const MAX_LETTERS = 200

/** Customers found by the beginnings of words, those who wrote or were written to last first. */
export async function suggestCustomers(text: string): Promise<Recipient[]> {
  if (text.length < MIN_LETTERS) return []
  const query = { q: text.slice(0, MAX_LETTERS), limit: MAX_CUSTOMERS }
  const { data } = await ask(api.console.customers.get({ query }))
  const newestFirst = data.toSorted(({ lastMessageAt: one = '' }, { lastMessageAt: other = '' }) =>
    other.localeCompare(one),
  )
  const people = newestFirst.flatMap(({ name, emails }) =>
    addressesFor(text, emails).map((address) => ({ name: isGuessed(name, address) ? '' : name, address })),
  )
  return added([], people)
}

/** A customer's main address, and others that were typed. */
function addressesFor(text: string, emails: string[]): string[] {
  const typed = text.trim().toLowerCase()
  return emails.filter((email, place) => place === 0 || email.toLowerCase().startsWith(typed))
}

/** Without a name, the server calls a customer by the part of the address before the `@`. */
function isGuessed(name: string, email: string): boolean {
  return email.startsWith(`${name}@`)
}
