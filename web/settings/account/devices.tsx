import { queryOptions, useMutation, useQuery } from '@tanstack/solid-query'
import Monitor from 'lucide-solid/icons/monitor'
import Smartphone from 'lucide-solid/icons/smartphone'
import { For, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'

type Device = Answer<typeof api.console.sessions.get>['data'][number]

const sessionsQuery = queryOptions({
  queryKey: queryKeys.sessions,
  queryFn: () => ask(api.console.sessions.get()),
  staleTime: 0,
})

/** The agent's sessions, each with a button to sign it out. */
export function Devices() {
  const query = useQuery(() => ({ ...sessionsQuery, reconcile: 'id' }))
  const endOthers = useMutation(() => ({
    mutationFn: () => ask(api.console.sessions.delete()),
    onSuccess: ({ ended }) => {
      toast(ended === 1 ? 'Signed out 1 other device.' : `Signed out ${ended} other devices.`)
    },
    onError: (error) => void toastError(errorMessage(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.sessions }),
  }))
  const others = () => query.data?.data.filter((one) => !one.isCurrent) ?? []
  return (
    <Section
      title="Devices"
      text="Where you're signed in. If you don't recognize a device, sign it out and change your password."
      actions={
        <Show when={others().length > 1}>
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out other devices
          </Button>
        </Show>
      }
    >
      <QueryView query={query} what="your devices" rows={2}>
        {(list) => (
          <ul class="entry-list" aria-label="Devices">
            <For each={list().data}>{(device) => <DeviceRow device={device} />}</For>
          </ul>
        )}
      </QueryView>
    </Section>
  )
}

function DeviceRow(props: { device: Device }) {
  const end = useMutation(() => ({
    mutationFn: () => ask(api.console.sessions({ id: props.device.id }).delete()),
    onSuccess: () => void toast(`Signed out ${props.device.device}.`),
    onError: (error) => void toastError(errorMessage(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.sessions }),
  }))
  return (
    <li class="entry">
      <Show when={/Android|iPhone|iPad/.test(props.device.device)} fallback={<Monitor class="muted" />}>
        <Smartphone class="muted" />
      </Show>
      <div class="entry-words">
        <p class="entry-title">
          {props.device.device}
          <Show when={props.device.isCurrent}>
            <Badge tone="green">This device</Badge>
          </Show>
        </p>
        <p class="entry-facts">
          <span>{props.device.address}</span>
          <span>
            Last seen <RelativeTime at={props.device.lastSeenAt} isLong />
          </span>
          <span>
            Signed in <RelativeTime at={props.device.createdAt} isLong />
          </span>
        </p>
      </div>
      <Show when={!props.device.isCurrent}>
        <div class="entry-actions">
          <Button
            size="small"
            look="quiet"
            isBusy={end.isPending}
            onClick={() => end.mutate()}
            aria-label={`Sign out ${props.device.device}`}
          >
            Sign out
          </Button>
        </div>
      </Show>
    </li>
  )
}
