import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { createForm } from '../../forms/create-form.ts'
import { DialogForm } from '../../forms/form.tsx'
import { MAX_LINE_LENGTH } from '../../ticket/customer/customer-fields.tsx'
import type { Customer } from '../../ticket/customer/customer-query.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

interface NewCustomerProps {
  isOpen: boolean
  onClose: () => void
  onMade: (customer: Customer) => void
}

/** Adds someone who hasn't written yet. */
export function NewCustomerDialog(props: NewCustomerProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={() => props.onClose()} title="New customer" size="small">
      <NewCustomerForm {...props} />
    </Dialog>
  )
}

function NewCustomerForm(props: NewCustomerProps) {
  const form = createForm({
    values: () => ({ name: '', email: '', company: '' }),
    save: ({ name, email, company }) =>
      ask(
        api.console.customers.post({
          name: name.trim(),
          company: company.trim(),
          ...(email.trim() !== '' && { emails: [email.trim()] }),
        }),
      ),
    onSaved: (customer) => {
      void queries.invalidateQueries({ queryKey: queryKeys.customerLists })
      props.onMade(customer)
    },
  })
  return (
    <DialogForm form={form} action="Add customer" onCancel={props.onClose}>
      <TextField
        {...form.text('name')}
        label="Name"
        maxLength={MAX_LINE_LENGTH}
        autofocus
        autocomplete="off"
      />
      <TextField {...form.text('email')} label="Email" type="email" autocomplete="off" />
      <TextField
        {...form.text('company')}
        label="Company"
        aside="optional"
        maxLength={MAX_LINE_LENGTH}
        autocomplete="off"
      />
    </DialogForm>
  )
}
