import { queryOptions, useMutation, useQuery } from '@tanstack/solid-query'
import { For, type JSX, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'

type Blocked = Answer<typeof api.console.blocked.get>

/** The server returns no more of each kind. */
const MAX_SHOWN = 500

const blockedQuery = queryOptions({
  queryKey: queryKeys.blocked,
  queryFn: () => ask(api.console.blocked.get()),
})

/** Who can't write in any widget, and how to let them write again. Nothing while there is no one. */
export function BlockedVisitors() {
  const query = useQuery(() => blockedQuery)
  const isEmpty = ({ visitors, addresses }: Blocked) => visitors.length + addresses.length === 0
  const isCut = ({ visitors, addresses }: Blocked) => Math.max(visitors.length, addresses.length) >= MAX_SHOWN
  return (
    <Show when={query.data && !isEmpty(query.data) && query.data}>
      {(list) => (
        <Section
          title="Blocked"
          text="They can't write or read in the chat. Block someone from their ticket."
        >
          <ul class="entry-list" aria-label="Blocked">
            <For each={list().visitors}>{(visitor) => <VisitorRow visitor={visitor} />}</For>
            <For each={list().addresses}>{(address) => <AddressRow blocked={address} />}</For>
          </ul>
          <Show when={isCut(list())}>
            <p class="muted small">Only the newest {MAX_SHOWN} of each kind are shown.</p>
          </Show>
        </Section>
      )}
    </Show>
  )
}

function VisitorRow(props: { visitor: Blocked['visitors'][number] }) {
  const name = () => props.visitor.name || props.visitor.email || 'Visitor without a name'
  return (
    <BlockedRow
      name={name()}
      unblock={() => ask(api.console.blocked.visitors({ id: props.visitor.id }).delete())}
      title={
        <>
          {name()}
          <Show when={props.visitor.isVerified} fallback={<Badge tone="amber">Not verified</Badge>}>
            <Badge tone="green">Verified</Badge>
          </Show>
        </>
      }
      blockedAt={props.visitor.blockedAt}
    >
      <Show when={props.visitor.email && props.visitor.email !== name()}>
        <span>{props.visitor.email}</span>
      </Show>
      <span>{props.visitor.widgetName}</span>
      <Show when={props.visitor.ticketId}>
        {(ticketId) => (
          <span>
            <a href={`/inbox/open/${ticketId()}`}>Newest conversation</a>
          </span>
        )}
      </Show>
    </BlockedRow>
  )
}

function AddressRow(props: { blocked: Blocked['addresses'][number] }) {
  return (
    <BlockedRow
      name={props.blocked.address}
      unblock={() => ask(api.console.blocked.addresses({ address: props.blocked.address }).delete())}
      title={<span class="mono">{props.blocked.address}</span>}
      blockedAt={props.blocked.blockedAt}
    >
      <span>Everyone with this IP address</span>
      <Show when={props.blocked.agentName}>{(agent) => <span>By {agent()}</span>}</Show>
    </BlockedRow>
  )
}

function BlockedRow(props: {
  name: string
  title: JSX.Element
  blockedAt: string
  unblock: () => Promise<unknown>
  children: JSX.Element
}) {
  const unblock = useMutation(() => ({
    mutationFn: () => props.unblock(),
    onSuccess: () => toast(`Unblocked ${props.name}`),
    onError: (error) => toastError(errorMessage(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.blocked }),
  }))
  return (
    <li class="entry">
      <div class="entry-words">
        <p class="entry-title">{props.title}</p>
        <p class="entry-facts">
          {props.children}
          <span>
            Blocked <RelativeTime at={props.blockedAt} isLong />
          </span>
        </p>
      </div>
      <div class="entry-actions">
        <Button
          size="small"
          look="quiet"
          isBusy={unblock.isPending}
          onClick={() => unblock.mutate()}
          aria-label={`Unblock ${props.name}`}
        >
          Unblock
        </Button>
      </div>
    </li>
  )
}
