import { queryOptions, useQuery } from '@tanstack/solid-query'
import Monitor from 'lucide-solid/icons/monitor'
import Smartphone from 'lucide-solid/icons/smartphone'
import { Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ActionButton } from '../../forms/action.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Ago, Entry, EntryList } from '../entry.tsx'
import { Section } from '../page.tsx'
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
  const others = () => query.data?.data.filter((one) => !one.isCurrent) ?? []
  return (
    <Section
      title="Devices"
      text="Where you're signed in. If you don't recognize a device, sign it out and change your password."
      actions={
        <Show when={others().length > 1}>
          <ActionButton
            run={() => afterwards(ask(api.console.sessions.delete()))}
            onDone={({ ended }) =>
              ended === 1 ? 'Signed out 1 other device.' : `Signed out ${ended} other devices.`
            }
          >
            Sign out other devices
          </ActionButton>
        </Show>
      }
    >
      <QueryView query={query} what="your devices" rows={2}>
        {(list) => (
          <EntryList label="Devices" items={list().data}>
            {(device) => <DeviceRow device={device} />}
          </EntryList>
        )}
      </QueryView>
    </Section>
  )
}

function DeviceRow(props: { device: Device }) {
  const isPhone = () => /Android|iPhone|iPad/.test(props.device.device)
  return (
    <Entry
      icon={isPhone() ? <Smartphone class="muted" /> : <Monitor class="muted" />}
      title={
        <>
          {props.device.device}
          <Show when={props.device.isCurrent}>
            <Badge tone="green">This device</Badge>
          </Show>
        </>
      }
      facts={[
        props.device.address,
        <Ago words="Last seen" at={props.device.lastSeenAt} />,
        <Ago words="Signed in" at={props.device.createdAt} />,
      ]}
      actions={
        !props.device.isCurrent && (
          <ActionButton
            size="small"
            look="quiet"
            run={() => afterwards(ask(api.console.sessions({ id: props.device.id }).delete()))}
            onDone={() => `Signed out ${props.device.device}.`}
            aria-label={`Sign out ${props.device.device}`}
          >
            Sign out
          </ActionButton>
        )
      }
    />
  )
}

/** Reads the devices again, whether it worked or not. */
function afterwards<Result>(request: Promise<Result>): Promise<Result> {
  return request.finally(() => queries.invalidateQueries({ queryKey: queryKeys.sessions }))
}
