import { useQuery } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { createForm } from '../../forms/create-form.ts'
import { FormBody, FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { fromLocal, SINCE_OPTIONS, type Since, sinceTime } from '../filters.tsx'

type Replay = Answer<ReturnType<typeof api.console.replays>['get']>

const REFETCH_MS = 700

/** Sends events to an endpoint again, and shows the progress. */
export function ReplayForm(props: { endpointId: string }) {
  const form = createForm<{ since: Since; exact: string; onlyMissing: boolean }, Replay>({
    values: () => ({ since: 'day', exact: '', onlyMissing: true }),
    save: ({ since, exact, onlyMissing }) =>
      ask(
        api.console
          .endpoints({ id: props.endpointId })
          .replay.post({ since: sinceTime(since, fromLocal(exact)), onlyMissing }),
      ),
    onSaved: () => void queries.invalidateQueries({ queryKey: queryKeys.deliveries }),
    isUnsaved: () => false,
  })
  return (
    <FormBody form={form} class="card">
      <div class="resend-fields">
        <Select {...form.choice('since', 'period')} label="Events in" options={SINCE_OPTIONS} />
        <Show when={form.values.since === 'exact'}>
          <TextField {...form.text('exact', 'since')} label="Since" type="datetime-local" required />
        </Show>
        <Button type="submit" isBusy={form.submit.isPending}>
          Replay events
        </Button>
      </div>
      <Checkbox
        {...form.check('onlyMissing')}
        label="Only events it never received"
        hint="Otherwise it gets all of them again, with new delivery ids."
      />
      <FormProblem error={form.error()} fields={form.shown} />
      <Show when={form.submit.data} keyed>
        {(replay) => <Progress replay={replay} />}
      </Show>
    </FormBody>
  )
}

function Progress(props: { replay: Replay }) {
  const query = useQuery(() => ({
    queryKey: queryKeys.replay(props.replay.id),
    queryFn: () => ask(api.console.replays({ id: props.replay.id }).get()),
    refetchInterval: ({ state }) => ((state.data ?? props.replay).finishedAt ? false : REFETCH_MS),
  }))
  return (
    <p role="status" class="muted">
      {progressSentence(query.data ?? props.replay)}
    </p>
  )
}

function progressSentence({ checked, total, queued, finishedAt }: Replay): string {
  if (!finishedAt) return `${queued} queued so far, ${checked} of ${total} events checked…`
  if (queued === 0) return 'Nothing to send in this time.'
  return queued === 1 ? 'Sending 1 event.' : `Sending ${queued} events.`
}
