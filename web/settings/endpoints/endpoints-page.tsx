import { useQuery } from '@tanstack/solid-query'
import WebhookIcon from 'lucide-solid/icons/webhook'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { FormDialog } from '../../forms/form.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { StateBadge } from '../detail-list.tsx'
import { Ago, Entry, Facts } from '../entry.tsx'
import { ListPage } from '../query-view.tsx'
import { SecretDialog } from '../secret.tsx'
import { type Endpoint, endpoints, healthSentence, shortAddress, shownStateOf } from './endpoint-data.ts'
import { createEndpointForm, EndpointFields } from './endpoint-fields.tsx'
import { SigningSecret } from './signing-secret.tsx'

/** The webhook endpoints of the organization. */
export function EndpointsPage() {
  const query = useQuery(() => ({ ...endpoints.list, reconcile: 'id' }))
  return (
    <ListPage
      title="Webhook endpoints"
      lead="Bellhop posts the events that you choose to these URLs, signed, and retries on failure."
      query={query}
      what="webhook endpoints"
      add={{ text: 'New endpoint', dialog: (close) => <NewEndpoint onClose={close} /> }}
      empty={{
        icon: <WebhookIcon />,
        title: 'No endpoints yet',
        text: 'Add an HTTPS URL to receive new tickets, messages, and changes within a second.',
      }}
      row={(endpoint) => <EndpointRow endpoint={endpoint} />}
    />
  )
}

function EndpointRow(props: { endpoint: Endpoint }) {
  const health = () => props.endpoint.health
  return (
    <Entry
      href={`/settings/endpoints/${props.endpoint.id}`}
      title={
        <>
          {shortAddress(props.endpoint.url)}
          <StateBadge state={shownStateOf(props.endpoint)} />
        </>
      }
      facts={[props.endpoint.description, props.endpoint.events.join(', ')]}
      more={
        <Facts
          facts={[
            healthSentence(props.endpoint),
            health().lastSuccessAt && <Ago words="Last success" at={health().lastSuccessAt} />,
          ]}
        />
      }
      error={health().failingSince && health().lastError?.sentence}
    />
  )
}

/** Registers an endpoint, then shows its signing secret once. */
function NewEndpoint(props: { onClose: () => void }) {
  const form = createEndpointForm({
    save: (values) => ask(api.console.endpoints.post(values)),
    onSaved: ({ endpoint }) => endpoints.show(endpoint),
  })
  return (
    <Show
      when={form.submit.data}
      fallback={
        <FormDialog form={form} title="New endpoint" action="Register endpoint" onClose={props.onClose}>
          <EndpointFields form={form} />
        </FormDialog>
      }
    >
      {(created) => (
        <SecretDialog
          isOpen
          title="Save your signing secret"
          size="wide"
          beside={
            <ButtonLink href={`/settings/endpoints/${created().endpoint.id}`}>Open endpoint</ButtonLink>
          }
          onDone={props.onClose}
        >
          <SigningSecret secret={created().secret} />
        </SecretDialog>
      )}
    </Show>
  )
}
