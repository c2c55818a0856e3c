import { type InfiniteData, useMutation, useQuery } from '@tanstack/solid-query'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import { createEffect, createSignal, on, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { createForm } from '../../forms/create-form.ts'
import { FormBody, FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { endpoints, shortAddress } from '../endpoints/endpoint-data.ts'
import { fromLocal, SINCE_OPTIONS, type Since, sinceTime } from '../filters.tsx'
import type { Delivery, DeliveryDetail } from './delivery-data.ts'

type LogOfDeliveries = Answer<typeof api.console.deliveries.get>
type Job = Answer<ReturnType<typeof api.console.resends>['get']>

const REFETCH_MS = 700

/** Whether to offer resending. The server decides in the end. */
export function canResend({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'failed' || state === 'succeeded' || state === 'pending'
}

/** Resends one delivery. The page shows it at once, and reverts with the reason if the server refuses. */
export function useResend() {
  return useMutation(() => ({
    mutationFn: ({ id }: Pick<Delivery, 'id'>) => ask(api.console.deliveries({ id }).resend.post()),
    onMutate: ({ id }) => showState(id, 'in_flight'),
    onSuccess: () => void toast('Resending…'),
    onError: (error) => void toastError(errorMessage(error)),
    onSettled: (_answer, _error, { id }) =>
      Promise.all([
        queries.invalidateQueries({ queryKey: queryKeys.delivery(id) }),
        queries.invalidateQueries({ queryKey: queryKeys.deliveries }),
      ]),
  }))
}

function showState(id: string, state: Delivery['state']): void {
  queries.setQueryData<DeliveryDetail>(queryKeys.delivery(id), (shown) => shown && { ...shown, state })
  queries.setQueriesData<InfiniteData<LogOfDeliveries>>(
    { queryKey: queryKeys.deliveries },
    (log) =>
      log && {
        ...log,
        pages: log.pages.map((page) => ({
          ...page,
          data: page.data.map((row) => (row.id === id ? { ...row, state } : row)),
        })),
      },
  )
}

/** Resends everything that failed since a given time, for the filtered or a chosen endpoint. */
export function ResendAll(props: { endpointId: string | undefined }) {
  const query = useQuery(() => endpoints.list)
  const [isOpen, setOpen] = createSignal(false)
  // An endpoint that is off takes no deliveries.
  const options = () =>
    (query.data?.data ?? [])
      .filter(({ isOn }) => isOn)
      .map(({ id, url }) => ({ value: id, label: shortAddress(url) }))
  return (
    <Show when={options().length > 0}>
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
        <ChosenEndpoint options={options()} start={props.endpointId} />
      </Dialog>
    </Show>
  )
}

function ChosenEndpoint(props: { options: { value: string; label: string }[]; start: string | undefined }) {
  const start = props.options.find(({ value }) => value === props.start) ?? props.options[0]
  const [chosen, setChosen] = createSignal(start?.value ?? '')
  return (
    <div class="stack">
      <Select label="Endpoint" options={props.options} value={chosen()} onChange={setChosen} />
      <Show when={chosen()} keyed>
        {(id) => <ResendForm endpointId={id} />}
      </Show>
    </div>
  )
}

/** Asks for the start time, and shows the progress. */
export function ResendForm(props: { endpointId: string }) {
  const form = createForm<{ since: Since; exact: string }, Job>({
    values: () => ({ since: 'day', exact: '' }),
    save: ({ since, exact }) =>
      ask(
        api.console
          .endpoints({ id: props.endpointId })
          .resend.post({ since: sinceTime(since, fromLocal(exact)) }),
      ),
    onSaved: () => void queries.invalidateQueries({ queryKey: queryKeys.deliveries }),
    isUnsaved: () => false,
  })
  return (
    <FormBody form={form} class="card">
      <div class="resend-fields">
        <Select {...form.choice('since', 'period')} label="Failed in" options={SINCE_OPTIONS} />
        <Show when={form.values.since === 'exact'}>
          <TextField {...form.text('exact', 'since')} label="Since" type="datetime-local" required />
        </Show>
        <Button type="submit" isBusy={form.submit.isPending}>
          Resend all failed
        </Button>
      </div>
      <FormProblem error={form.error()} fields={form.shown} />
      <Show when={form.submit.data} keyed>
        {(job) => <Progress job={job} />}
      </Show>
    </FormBody>
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

function progressSentence({ resent, finishedAt }: Pick<Job, 'resent' | 'finishedAt'>): string {
  if (!finishedAt) return `${resent} queued so far…`
  if (resent === 0) return 'Nothing failed in this time.'
  return resent === 1 ? 'Resending 1 delivery.' : `Resending ${resent} deliveries.`
}
