import { useMutation, useQuery } from '@tanstack/solid-query'
import { createEffect, createSignal, on, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Section } from '../page-layout.tsx'
import { fromLocal, SINCE_OPTIONS, type Since, sinceTime } from '../time-range.ts'
import type { Endpoint } from './endpoint-data.ts'
import './resend-failed.css'

type Job = Answer<ReturnType<typeof api.console.resends>['get']>

const REFETCH_MS = 700

/** Resends everything that failed since a given time, after an outage of the receiver. */
export function ResendFailed(props: { endpoint: Endpoint }) {
  return (
    <Section
      title="Resend failed deliveries"
      text="After an outage: resends every failed delivery, with the same id and body."
    >
      <Show
        when={props.endpoint.isOn}
        fallback={<p class="muted">Turn the endpoint on first. That also sends everything queued.</p>}
      >
        <ResendForm endpointId={props.endpoint.id} />
      </Show>
    </Section>
  )
}

/** Asks for the start time, and shows the progress. */
export function ResendForm(props: { endpointId: string }) {
  const [since, setSince] = createSignal<Since>('day')
  const [exact, setExact] = createSignal('')
  const start = useMutation(() => ({
    mutationFn: () => resend(props.endpointId, sinceTime(since(), fromLocal(exact()))),
    onSuccess: () => void queries.invalidateQueries({ queryKey: queryKeys.deliveries }),
  }))
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault()
        start.mutate()
      }}
    >
      <div class="resend-failed-fields">
        <Select label="Failed in" options={SINCE_OPTIONS} value={since()} onChange={setSince} />
        <Show when={since() === 'exact'}>
          <TextField
            label="Since"
            type="datetime-local"
            value={exact()}
            onInput={setExact}
            error={fieldError(start.error, 'since')}
            required
          />
        </Show>
        <Button type="submit" isBusy={start.isPending}>
          Resend all failed
        </Button>
      </div>
      <FormProblem error={start.error} fields={since() === 'exact' ? ['since'] : []} />
      <Show when={start.data} keyed>
        {(job) => <Progress job={job} />}
      </Show>
    </form>
  )
}

function Progress(props: { job: Job }) {
  const query = useQuery(() => ({
    queryKey: queryKeys.resendJob(props.job.id),
    queryFn: () => ask(api.console.resends({ id: props.job.id }).get()),
    refetchInterval: ({ state }) => ((state.data ?? props.job).finishedAt ? false : REFETCH_MS),
  }))
  const job = () => query.data ?? props.job
  const isFinished = () => Boolean(job().finishedAt)
  createEffect(
    on(isFinished, (isIt) => isIt && void queries.invalidateQueries({ queryKey: queryKeys.deliveries })),
  )
  return (
    <p role="status" class="muted">
      {progressSentence(job())}
    </p>
  )
}

function resend(endpointId: string, since: string) {
  return ask(api.console.endpoints({ id: endpointId }).resend.post({ since }))
}

function progressSentence({ resent, finishedAt }: Pick<Job, 'resent' | 'finishedAt'>): string {
  if (!finishedAt) return `${resent} queued so far…`
  if (resent === 0) return 'Nothing failed in this time.'
  return resent === 1 ? 'Resending 1 delivery.' : `Resending ${resent} deliveries.`
}
