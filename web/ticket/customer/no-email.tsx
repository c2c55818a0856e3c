import { useMutation } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { readTicketAgain, type Ticket } from '../ticket-query.ts'
import './customer-panel.css'

/** In place of the address of a customer without one: adds the one that they gave an agent. */
export function NoEmail(props: { ticket: Ticket }) {
  const [isAdding, setAdding] = createSignal(false)
  return (
    <Show
      when={isAdding()}
      fallback={
        <p class="no-email">
          <Show when={!props.ticket.customer.unverifiedEmail}>No email address</Show>
          <Button size="small" look="quiet" onClick={() => setAdding(true)}>
            {props.ticket.customer.unverifiedEmail ? 'Use this address…' : 'Add…'}
          </Button>
        </p>
      }
    >
      <EmailForm ticket={props.ticket} onClose={() => setAdding(false)} />
    </Show>
  )
}

function EmailForm(props: { ticket: Ticket; onClose: () => void }) {
  // The agent decides whether to believe what a visitor typed into the widget, but need not type it again.
  const [email, setEmail] = createSignal(props.ticket.customer.unverifiedEmail ?? '')
  const add = useMutation(() => ({
    mutationFn: () =>
      ask(api.console.customers({ id: props.ticket.customer.userId }).patch({ emails: [email()] })),
    onSuccess: (customer) => {
      showSaved(queryKeys.customer(customer.id), customer)
      toast('Email address added')
      void readTicketAgain(props.ticket.id)
    },
  }))
  return (
    <form
      class="no-email-form"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
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
        error={add.error ? errorMessage(add.error) : undefined}
        required
        autocomplete="off"
        ref={(field: HTMLInputElement) => queueMicrotask(() => field.focus())}
      />
      <div class="no-email-actions">
        <Button type="submit" size="small" look="primary" isBusy={add.isPending}>
          Add
        </Button>
        <Button size="small" look="quiet" onClick={() => props.onClose()}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
