import { useMutation } from '@tanstack/solid-query'
import ArrowDownUp from 'lucide-solid/icons/arrow-down-up'
import { createEffect, createSignal, For, type JSX, Match, onCleanup, Show, Switch } from 'solid-js'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { FormBody, FormProblem } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { isComposing } from '../../ui/ime.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import './merge.css'

const SEARCH_AFTER_MS = 200
export const MAX_FOUND = 8

interface MergeFormProps<Choice extends { id: string }> {
  /** What is merged: "ticket". */
  noun: string
  placeholder: string
  /** What is searched for. */
  query: string
  onSearch: (query: string) => void
  /** The search, or what is offered without one. */
  found: Parameters<typeof FailedQuery>[0]['query']
  /** What it found. Undefined while it loads. */
  choices: readonly Choice[] | undefined
  /** The title of the choices. */
  legend: string
  noneText: string
  /** Shows a choice beside its radio button. */
  choice: (choice: Choice) => JSX.Element
  chosenId: string | undefined
  onChoose: (choice: Choice | undefined) => void
  /** What happens. */
  outcome: JSX.Element
  /** The name of the one that goes into the other. Undefined until another one is chosen. */
  goes: string | undefined
  onSwap: () => void
  /** Undefined while it isn't possible. */
  merge: (() => Promise<void>) | undefined
  onCancel: () => void
}

/** Finds the other one of a merge, shows what will happen, and merges. */
export function MergeForm<Choice extends { id: string }>(props: MergeFormProps<Choice>) {
  const first = props.query
  const [text, setText] = createSignal(first)
  const isBehind = () => text().trim() !== props.query
  const submit = useMutation(() => ({ mutationFn: async () => props.merge?.() }))
  createEffect(() => {
    const next = text().trim()
    const timer = setTimeout(() => props.onSearch(next), SEARCH_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })
  return (
    <FormBody form={{ submit, error: () => submit.error }} class="stack">
      <TextField
        label={`Find a ${props.noun}`}
        placeholder={props.placeholder}
        value={text()}
        onInput={(next) => {
          setText(next)
          props.onChoose(undefined)
        }}
        onKeyDown={(event) => chooseFirst(event, props.chosenId !== undefined)}
        // What is typed replaces the text that was there to begin with.
        onFocus={({ currentTarget }) => currentTarget.value === first && currentTarget.select()}
        autocomplete="off"
      />
      <fieldset class="merge-choices" aria-busy={isBehind()}>
        <legend class="small muted">{props.legend}</legend>
        <Switch fallback={<Skeleton lines={3} label={`Loading ${props.noun}s`} />}>
          <Match when={props.choices?.length === 0}>
            <p class="muted merge-choices-none">{props.noneText}</p>
          </Match>
          <Match when={props.choices}>
            {(choices) => (
              <For each={choices()}>
                {(choice) => (
                  <label class="merge-choice">
                    <input
                      type="radio"
                      name="other"
                      checked={props.chosenId === choice.id}
                      onChange={() => props.onChoose(choice)}
                    />
                    {props.choice(choice)}
                  </label>
                )}
              </For>
            )}
          </Match>
          <Match when={props.found.error}>
            <FailedQuery title={`Couldn't load ${props.noun}s`} query={props.found} />
          </Match>
        </Switch>
      </fieldset>
      <Show when={props.goes}>
        {(name) => (
          <>
            {props.outcome}
            <div>
              <Button size="small" look="quiet" icon={<ArrowDownUp />} onClick={() => props.onSwap()}>
                Swap: keep {name()} instead
              </Button>
            </div>
          </>
        )}
      </Show>
      <FormProblem error={submit.error} />
      <div class="dialog-foot">
        <Button onClick={() => props.onCancel()}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={submit.isPending} disabled={!props.merge}>
          Merge
        </Button>
      </div>
    </FormBody>
  )
}

/**
 * Enter chooses the first one that was found, so that a second Enter merges, and the down arrow goes to the others. While
 * the search runs, the list isn't of what was typed.
 */
function chooseFirst(event: KeyboardEvent & { currentTarget: HTMLInputElement }, isChosen: boolean): void {
  const isDown = event.key === 'ArrowDown'
  if (isComposing(event) || (!isDown && (event.key !== 'Enter' || isChosen))) return
  event.preventDefault()
  const first = event.currentTarget.form?.querySelector<HTMLElement>(
    'fieldset:not([aria-busy="true"]) [type="radio"]',
  )
  first?.click()
  if (isDown) first?.focus()
}
