import { useNavigate } from '@solidjs/router'
import { useMutation, useQuery } from '@tanstack/solid-query'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CirclePlay from 'lucide-solid/icons/circle-play'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { CardForm } from '../../forms/form.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Page, Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'
import { type Endpoint, endpointQuery, shortAddress, showEndpoint } from './endpoint-data.ts'
import { EndpointFields, FIELDS, valuesOf } from './endpoint-fields.tsx'
import { EndpointState, Health } from './endpoint-health.tsx'
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
      <QueryView query={query} what="the endpoint">
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
      </QueryView>
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

/** Edits the URL, events and description of an endpoint. */
function EditEndpoint(props: { endpoint: Endpoint }) {
  const form = createFormState('the endpoint', () => valuesOf(props.endpoint))
  const save = useMutation(() => ({
    mutationFn: () =>
      form.save((sent) =>
        ask(api.console.endpoints({ id: props.endpoint.id }).patch({ ...sent, url: sent.url.trim() })),
      ),
    onSuccess: (endpoint: Endpoint) => {
      showEndpoint(endpoint)
      toast('Endpoint saved.')
    },
  }))
  return (
    <Section title="Settings" text="If you change the URL, deliveries in progress still go to the old one.">
      <CardForm save={save} fields={FIELDS} action="Save" isUnchanged={!form.isChanged()}>
        <EndpointFields values={form.values} onChange={form.setValues} error={save.error} />
      </CardForm>
    </Section>
  )
}

/** Permanently deletes an endpoint, after a confirmation. */
function DeleteEndpoint(props: { endpoint: Endpoint }) {
  const [isAsking, setAsking] = createSignal(false)
  const navigate = useNavigate()
  const remove = async () => {
    await ask(api.console.endpoints({ id: props.endpoint.id }).delete())
    void queries.invalidateQueries({ queryKey: queryKeys.endpoints })
    toast(`Deleted ${shortAddress(props.endpoint.url)}.`)
    navigate('/settings/endpoints')
  }
  return (
    <Section
      title="Delete"
      text="Queued deliveries are canceled and the secret is deleted. The delivery log is kept."
    >
      <div>
        <Button onClick={() => setAsking(true)}>Delete endpoint…</Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Delete this endpoint?"
        text={`Nothing more will be sent to ${shortAddress(props.endpoint.url)}. Queued deliveries are canceled. This can't be undone.`}
        action="Delete endpoint"
        onConfirm={remove}
      />
    </Section>
  )
}
