import { createSignal, For, Show } from 'solid-js'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { type Customer, changeCustomer } from './customer-query.ts'
import { EditableField } from './editable-field.tsx'
import { ShownMetadata } from './shown-metadata.tsx'
import { UnverifiedMark } from './unverified-mark.tsx'
import './customer-fields.css'

import ArrowUp from 'lucide-solid/icons/arrow-up'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Trash from 'lucide-solid/icons/trash'

export const MAX_LINE_LENGTH = 255
const MAX_NOTE_LENGTH = 10_000

const EmailForm = lazyPart(async () => (await import('./email-form.tsx')).EmailForm)
/** For a page where it is often used: what is typed right after it opens isn't lost. */
export const preloadEmailForm = () => EmailForm.preload()

/** What agents know of a customer: each changes in place, with Undo. */
export function CustomerFields(props: { customer: Customer }) {
  const save = (name: 'company' | 'phone' | 'note', label: string) => (value: string) =>
    void changeCustomer(
      props.customer,
      { [name]: value },
      value === '' ? `${label} removed` : `${label} saved`,
    )
  return (
    <dl class="customer-fields">
      <dt>Email</dt>
      <dd>
        <CustomerEmails customer={props.customer} />
      </dd>
      <dt>Company</dt>
      <dd>
        <EditableField
          label="Company"
          value={props.customer.company}
          maxLength={MAX_LINE_LENGTH}
          onSave={save('company', 'Company')}
        />
      </dd>
      <dt>Phone</dt>
      <dd class="customer-fields-line">
        <EditableField
          label="Phone"
          value={props.customer.phone}
          maxLength={MAX_LINE_LENGTH}
          onSave={save('phone', 'Phone number')}
        />
        <Show when={props.customer.phone}>
          {(phone) => <CopyButton text={phone()} name="Copy phone number" />}
        </Show>
      </dd>
      <dt>Note</dt>
      <dd>
        <EditableField
          label="Note"
          value={props.customer.note}
          maxLength={MAX_NOTE_LENGTH}
          isLong
          onSave={save('note', 'Note')}
        />
      </dd>
      <ShownMetadata texts={props.customer.shownMetadata} />
    </dl>
  )
}

/** All addresses of a customer, the main one first, or what a visitor typed in their place. */
function CustomerEmails(props: { customer: Customer }) {
  const [isAdding, setAdding] = createSignal(false)
  const emails = () => props.customer.emails
  const typed = () => props.customer.unverifiedEmail
  return (
    <>
      <Show when={typed()}>
        {(email) => (
          <p class="customer-fields-line">
            <span class="cut" title={email()}>
              {email()}
            </span>{' '}
            <UnverifiedMark />
          </p>
        )}
      </Show>
      <ul>
        <For each={emails()}>
          {(email, place) => (
            <li class="customer-fields-line">
              <span class="cut" title={email}>
                {email}
              </span>
              <CopyButton text={email} name={place() === 0 ? 'Copy email address' : `Copy ${email}`} />
              <Show when={emails().length > 1}>
                <EmailMenu customer={props.customer} email={email} isFirst={place() === 0} />
              </Show>
            </li>
          )}
        </For>
      </ul>
      <Show
        when={isAdding()}
        fallback={
          <p class="customer-fields-add">
            <Show when={emails().length === 0 && !typed()}>No email address</Show>
            <Button size="small" look="quiet" onClick={() => setAdding(true)}>
              {addText(props.customer)}
            </Button>
          </p>
        }
      >
        <EmailForm customer={props.customer} onClose={() => setAdding(false)} />
      </Show>
    </>
  )
}

function addText({ emails, unverifiedEmail }: Customer): string {
  if (emails.length > 0) return 'Add address…'
  return unverifiedEmail ? 'Use this address…' : 'Add…'
}

function EmailMenu(props: { customer: Customer; email: string; isFirst: boolean }) {
  const others = () => props.customer.emails.filter((email) => email !== props.email)
  return (
    <Menu
      placement="bottom-end"
      trigger={(given) => (
        <IconButton {...given} name={`Actions for ${props.email}`} size="small">
          <Ellipsis />
        </IconButton>
      )}
    >
      <Show when={!props.isFirst}>
        <MenuItem
          icon={<ArrowUp />}
          onSelect={() =>
            void changeCustomer(
              props.customer,
              { emails: [props.email, ...others()] },
              `${props.email} is the main address`,
            )
          }
        >
          Make main address
        </MenuItem>
      </Show>
      <MenuItem
        icon={<Trash />}
        isDanger
        onSelect={() => void changeCustomer(props.customer, { emails: others() }, `Removed ${props.email}`)}
      >
        Remove address
      </MenuItem>
    </Menu>
  )
}
