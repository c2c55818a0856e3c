import { useMutation, useQuery } from '@tanstack/solid-query'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CirclePlay from 'lucide-solid/icons/circle-play'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Loaded } from '../loaded.tsx'
import { Page, Section } from '../page.tsx'
import { DeleteEndpoint } from './delete-endpoint.tsx'
import { EditEndpoint } from './edit-endpoint.tsx'
import { type Endpoint, endpointQuery, shortAddress, showEndpoint } from './endpoint-data.ts'
import { EndpointState } from './endpoint-state.tsx'
import { Health } from './health.tsx'
import { ResendFailed } from './resend-failed.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { TestDelivery } from './test-delivery.tsx'

const BACK = { href: '/settings/endpoints', name: 'Webhook endpoints' }

/** One endpoint: its health, and every action on it. */
export function EndpointPage(props: { id: string }) {
  const query = useQuery(() => ({ ...endpointQuery(props.id), reconcile: 'id', refetchInterval: 10_000 }))
  return (
    <Page
      title={query.data ? shortAddress(query.data.url) : 'Webhook endpoint'}
      back={BACK}
      lead={<Show when={query.data}>{(endpoint) => <Lead endpoint={endpoint()} />}</Show>}
      actions={<Show when={query.data}>{(endpoint) => <OnOff endpoint={endpoint()} />}</Show>}
    >
      <Loaded query={query} what="the endpoint">
        {(endpoint) => (
          <>
            <Section
              title="Health"
              text="Last 100 attempts, tests excluded."
              actions={
                <ButtonLink href={`/settings/deliveries?endpoint=${props.id}`}>View deliveries</ButtonLink>
              }
            >
              <Health endpoint={endpoint()} />
            </Section>
            <TestDelivery endpoint={endpoint()} />
            <EditEndpoint endpoint={endpoint()} />
            <RotateSecret endpoint={endpoint()} />
            <ResendFailed endpoint={endpoint()} />
            <DeleteEndpoint endpoint={endpoint()} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Lead(props: { endpoint: Endpoint }) {
  return (
    <>
      <EndpointState endpoint={props.endpoint} /> Registered{' '}
      <RelativeTime at={props.endpoint.createdAt} isLong />, <span class="mono">{props.endpoint.id}</span>
    </>
  )
}

function OnOff(props: { endpoint: Endpoint }) {
  const change = useMutation(() => ({
    mutationFn: (isOn: boolean) => {
      const one = api.console.endpoints({ id: props.endpoint.id })
      return isOn ? ask(one.enable.post()) : ask(one.disable.post())
    },
    onSuccess: (endpoint: Endpoint) => {
      showEndpoint(endpoint)
      void queries.invalidateQueries({ queryKey: queryKeys.deliveries })
      toast(endpoint.isOn ? 'Endpoint on. Queued deliveries are being sent.' : 'Endpoint off.', {
        text: 'Undo',
        run: () => change.mutate(!endpoint.isOn),
      })
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <Show
      when={props.endpoint.isOn}
      fallback={
        <Button
          look="primary"
          icon={<CirclePlay />}
          isBusy={change.isPending}
          onClick={() => change.mutate(true)}
        >
          Turn on
        </Button>
      }
    >
      <Button icon={<CirclePause />} isBusy={change.isPending} onClick={() => change.mutate(false)}>
        Turn off
      </Button>
    </Show>
  )
}
