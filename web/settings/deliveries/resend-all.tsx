import { useQuery } from '@tanstack/solid-query'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import { createSignal, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { type Endpoint, endpointsQuery, shortAddress } from '../endpoints/endpoint-data.ts'
import { ResendForm } from '../endpoints/resend-failed.tsx'

/** Resends everything that failed since a given time, for the filtered or a chosen endpoint. */
export function ResendAll(props: { endpointId: string | undefined }) {
  const query = useQuery(() => endpointsQuery)
  const [isOpen, setOpen] = createSignal(false)
  // An endpoint that is off takes no deliveries.
  const endpoints = () => query.data?.data.filter(({ isOn }) => isOn) ?? []
  return (
    <Show when={endpoints().length > 0}>
      <Button icon={<RotateCw />} onClick={() => setOpen(true)}>
        Resend all failed…
      </Button>
      <Dialog
        isOpen={isOpen()}
        onClose={() => setOpen(false)}
        title="Resend all failed"
        description="Resends every delivery that failed in this period, with the same id and body."
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        <Choice endpoints={endpoints()} start={props.endpointId} />
      </Dialog>
    </Show>
  )
}

function Choice(props: { endpoints: Endpoint[]; start: string | undefined }) {
  const isKnown = () => props.endpoints.some(({ id }) => id === props.start)
  const [chosen, setChosen] = createSignal((isKnown() && props.start) || (props.endpoints[0]?.id ?? ''))
  return (
    <div class="stack">
      <Select
        label="Endpoint"
        options={props.endpoints.map(({ id, url }) => ({ value: id, label: shortAddress(url) }))}
        value={chosen()}
        onChange={setChosen}
      />
      <Show when={chosen()} keyed>
        {(id) => <ResendForm endpointId={id} />}
      </Show>
    </div>
  )
}
