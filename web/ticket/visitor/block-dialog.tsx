import Ban from 'lucide-solid/icons/ban'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { observe, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { createForm } from '../../forms/create-form.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { DialogForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { MenuItem } from '../../ui/menu.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Visitor, visitorQuery } from './visitor-section.tsx'

/** Opens the dialog that blocks a visitor, from the menu of their ticket. */
export function BlockItem(props: { onSelect: () => void }) {
  return (
    <MenuItem icon={<Ban />} onSelect={() => props.onSelect()}>
      Block visitor…
    </MenuItem>
  )
}

/** Blocks the visitor of a ticket or everyone with their IP address, or lets them write again. */
export function BlockDialog(props: { ticketId: string; isOpen: boolean; onClose: () => void }) {
  const visitor = observe(() => ({ ...visitorQuery(props.ticketId), enabled: props.isOpen }))
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={() => props.onClose()}
      title="Block visitor"
      description="A blocked visitor can't read or write in the chat on your website. An open chat closes immediately."
      size="small"
    >
      <Show
        when={visitor().data}
        fallback={
          <Show when={visitor().error} fallback={<Skeleton lines={3} label="Loading the visitor" />}>
            <FailedQuery title="Couldn't load the visitor" query={visitor()} />
          </Show>
        }
      >
        {(known) => <BlockForm ticketId={props.ticketId} visitor={known()} onClose={() => props.onClose()} />}
      </Show>
    </Dialog>
  )
}

function BlockForm(props: { ticketId: string; visitor: Visitor; onClose: () => void }) {
  const before = { visitor: props.visitor.isBlocked, address: props.visitor.isAddressBlocked }
  const form = createForm({
    values: () => before,
    save: ({ visitor, address }) =>
      ask(
        api.console.tickets({ id: props.ticketId }).visitor.patch({
          ...(visitor !== before.visitor && { isBlocked: visitor }),
          ...(address !== before.address && { isAddressBlocked: address }),
        }),
      ),
    onSaved: (visitor) => {
      showSaved(queryKeys.visitor(props.ticketId), visitor)
      props.onClose()
      return visitor.isBlocked || visitor.isAddressBlocked ? 'Blocked' : 'Unblocked'
    },
  })
  return (
    <DialogForm form={form} action="Save" isUnchanged={!form.isChanged()} onCancel={() => props.onClose()}>
      <Checkbox
        label="Block this visitor"
        hint={
          props.visitor.isVerified
            ? 'In every browser where your website signs them in.'
            : 'In this browser only. They can come back in another one.'
        }
        {...form.check('visitor')}
      />
      <Show when={props.visitor.address}>
        {(address) => (
          <Checkbox
            label={`Block the IP address ${address()}`}
            hint="Everyone with this address, such as everyone in the same office."
            {...form.check('address')}
          />
        )}
      </Show>
    </DialogForm>
  )
}
