import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { createSignal, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { dateOnly } from '../thread/times.ts'
import { counted } from '../ticket-names.ts'
import type { Ticket } from '../ticket-query.ts'
import { CustomerFields, MAX_LINE_LENGTH } from './customer-fields.tsx'
import { type Customer, changeCustomer } from './customer-query.ts'
import { EditableField } from './editable-field.tsx'
import { UnverifiedMark } from './unverified-mark.tsx'
import './customer-panel.css'

import ContactRound from 'lucide-solid/icons/contact-round'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Merge from 'lucide-solid/icons/merge'
import Trash from 'lucide-solid/icons/trash'

const DeleteCustomer = lazyDialog(async () => ({
  default: (await import('./delete-customer.tsx')).DeleteCustomer,
}))

const MergeCustomer = lazyDialog(async () => ({
  default: (await import('./merge-customer.tsx')).MergeCustomer,
}))

/** The customer's name and what agents know of them, each changed in place, and a menu. */
export function CustomerCard(props: { ticket: Ticket; customer: Customer | undefined }) {
  const shown = () => props.ticket.customer
  return (
    <section class="customer-card">
      <div class="customer-card-head">
        <Avatar name={shown().name} id={shown().userId} size="large" isCustomer isDecorative />
        <div class="customer-card-text">
          <h2 title={shown().name}>
            <Show when={props.customer} fallback={shown().name}>
              {(customer) => <CustomerName customer={customer()} />}
            </Show>
          </h2>
          <Show when={props.customer} fallback={<p class="muted cut">{shown().email}</p>}>
            {(customer) => <CustomerSince customer={customer()} />}
          </Show>
        </div>
        <Show when={props.customer}>
          {(customer) => <CardMenu customer={customer()} ticketId={props.ticket.id} />}
        </Show>
      </div>
      <Show when={props.customer}>{(customer) => <CustomerFields customer={customer()} />}</Show>
    </section>
  )
}

export function CustomerName(props: { customer: Customer }) {
  return (
    <>
      <EditableField
        label="Name"
        value={props.customer.name}
        maxLength={MAX_LINE_LENGTH}
        isRequired
        onSave={(name) => void changeCustomer(props.customer, { name }, `Renamed to ${name}`)}
      />
      <Show when={props.customer.unverified}>
        <UnverifiedMark />
      </Show>
    </>
  )
}

export function CustomerSince(props: { customer: Customer }) {
  return (
    <p class="muted">
      Since <Time at={props.customer.createdAt}>{dateOnly(props.customer.createdAt)}</Time> ·{' '}
      {counted(props.customer.totalTickets, 'ticket')}
    </p>
  )
}

/** Rare actions on a customer. Only administrators delete one. */
function CardMenu(props: { customer: Customer; ticketId: string }) {
  const session = useSession()
  const navigate = useNavigate()
  const location = useLocation()
  const params = useParams()
  const [isDeleting, setDeleting] = createSignal(false)
  const [isMerging, setMerging] = createSignal(false)
  return (
    <>
      <Menu
        placement="bottom-end"
        trigger={(given) => (
          <IconButton {...given} name={`Actions for ${props.customer.name}`} size="small">
            <Ellipsis />
          </IconButton>
        )}
      >
        <MenuItem icon={<ContactRound />} onSelect={() => navigate(`/customers/${props.customer.id}`)}>
          Open customer
        </MenuItem>
        <MenuItem icon={<Merge />} onSelect={() => setMerging(true)}>
          Merge customer into…
        </MenuItem>
        <Show when={session().agent.role === 'admin'}>
          <MenuLine />
          <MenuItem icon={<Trash />} isDanger onSelect={() => setDeleting(true)}>
            Delete customer permanently…
          </MenuItem>
        </Show>
      </Menu>
      <MergeCustomer
        isOpen={isMerging()}
        onClose={() => setMerging(false)}
        customer={props.customer}
        onMerged={() => {}}
      />
      <DeleteCustomer
        isOpen={isDeleting()}
        onClose={() => setDeleting(false)}
        customer={props.customer}
        ticketId={props.ticketId}
        onDeleted={() => navigate(`/inbox/${params.view ?? 'open'}${location.search}`, { scroll: false })}
      />
    </>
  )
}
