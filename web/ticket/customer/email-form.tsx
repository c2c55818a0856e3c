import { createSignal } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { type Customer, changeCustomer } from './customer-query.ts'

/** Asks for an address, and for one that a visitor typed whether to believe it. */
export function EmailForm(props: { customer: Customer; onClose: () => void }) {
  // The agent decides whether to believe what a visitor typed into the widget, but need not type it again.
  const isTyped = () => props.customer.emails.length === 0 && props.customer.unverifiedEmail !== undefined
  const [email, setEmail] = createSignal(isTyped() ? (props.customer.unverifiedEmail ?? '') : '')
  const [isBusy, setBusy] = createSignal(false)
  async function add(): Promise<void> {
    const { customer, onClose } = props
    const address = email().trim()
    const known = customer.emails.some((one) => one.toLowerCase() === address.toLowerCase())
    if (known) {
      toast(`${customer.name} already has ${address}`)
      return onClose()
    }
    setBusy(true)
    const isDone = await changeCustomer(
      customer,
      { emails: [...customer.emails, address] },
      'Email address added',
    )
    setBusy(false)
    if (isDone) onClose()
  }
  return (
    <form
      class="customer-fields-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy()) void add()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        props.onClose()
      }}
    >
      <TextField
        label="Email"
        type="email"
        value={email()}
        onInput={setEmail}
        hint={
          isTyped()
            ? 'The visitor typed this address, and no one has verified it. Use it only if you know it’s theirs: answers go there, and mail from it counts as this customer’s.'
            : undefined
        }
        required
        autocomplete="off"
        ref={(field: HTMLInputElement) => queueMicrotask(() => field.focus())}
      />
      <div class="customer-fields-actions">
        <Button type="submit" size="small" look="primary" isBusy={isBusy()}>
          {isTyped() ? 'Use address' : 'Add'}
        </Button>
        <Button size="small" look="quiet" onClick={() => props.onClose()}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
