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

/** Permanently deletes an endpoint, after a confirmation. */
export function DeleteEndpoint(props: { endpoint: Endpoint }) {
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
