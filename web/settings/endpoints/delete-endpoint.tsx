import { useNavigate } from '@solidjs/router'
import { createSignal } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Section } from '../page.tsx'
import { type Endpoint, shortAddress } from './endpoint-data.ts'

/** Deletes an endpoint for ever, after asking. */
export function DeleteEndpoint(props: { endpoint: Endpoint }) {
  const [isAsking, setAsking] = createSignal(false)
  const navigate = useNavigate()
  const remove = async () => {
    await ask(api.console.endpoints({ id: props.endpoint.id }).delete())
    void queries.invalidateQueries({ queryKey: queryKeys.endpoints })
    toast(`${shortAddress(props.endpoint.url)} is deleted.`)
    navigate('/settings/endpoints')
  }
  return (
    <Section
      title="Delete"
      text="Deliveries that wait are cancelled and the secret is forgotten. The delivery log can still be read."
    >
      <div>
        <Button onClick={() => setAsking(true)}>Delete this endpoint…</Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title="Delete this endpoint?"
        text={`Nothing more is sent to ${shortAddress(props.endpoint.url)}, and what waits is cancelled. This cannot be undone.`}
        action="Delete endpoint"
        onConfirm={remove}
      />
    </Section>
  )
}
