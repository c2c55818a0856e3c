import { useMutation } from '@tanstack/solid-query'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CirclePlay from 'lucide-solid/icons/circle-play'
import { createSignal, type JSX, splitProps } from 'solid-js'
import { errorMessage } from '../api/api-problem.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { Switch } from '../ui/checkbox.tsx'
import { toast, toastError } from '../ui/toaster.tsx'

/** A request that changes something at once. The toast says what `done` returns, or why it failed. */
export function useAction<Input, Result>(
  run: (input: Input) => Promise<Result>,
  done: (result: Result, input: Input) => unknown,
) {
  return useMutation(() => ({
    mutationFn: run,
    onSuccess: (result: Result, input: Input) => {
      const said = done(result, input)
      if (typeof said === 'string') toast(said)
    },
    onError: (error: unknown) => void toastError(errorMessage(error)),
  }))
}

interface ActionButtonProps<Result> extends Omit<ButtonProps, 'onClick' | 'isBusy' | 'onError'> {
  run: () => Promise<Result>
  /** Returns what the toast says. */
  onDone: (result: Result) => unknown
  /** It runs elsewhere. */
  isRunning?: boolean
}

/** A button that runs one request. */
export function ActionButton<Result>(props: ActionButtonProps<Result>) {
  const [own, rest] = splitProps(props, ['run', 'onDone', 'isRunning'])
  const action = useAction<void, Result>(
    () => own.run(),
    (result) => own.onDone(result),
  )
  return <Button {...rest} isBusy={action.isPending || own.isRunning} onClick={() => action.mutate()} />
}

interface OnOffButtonProps<Item> {
  isOn: boolean
  /** What the button says while it is on, and while it is off. */
  texts: { on: string; off: string }
  run: (isOn: boolean) => Promise<Item>
  /** Returns what the toast says, and whether it is on now. */
  onDone: (item: Item) => { done: string; isOn: boolean }
}

/** Turns something off and on again. The toast takes it back. */
export function OnOffButton<Item>(props: OnOffButtonProps<Item>) {
  const change = useAction(
    (isOn: boolean) => props.run(isOn),
    (item: Item) => {
      const { done, isOn } = props.onDone(item)
      toast(done, { text: 'Undo', run: () => change.mutate(!isOn) })
    },
  )
  return (
    <Button
      look={props.isOn ? 'plain' : 'primary'}
      icon={props.isOn ? <CirclePause /> : <CirclePlay />}
      isBusy={change.isPending}
      onClick={() => change.mutate(!props.isOn)}
    >
      {props.isOn ? props.texts.on : props.texts.off}
    </Button>
  )
}

interface Saved {
  isChecked: boolean
  save: (isOn: boolean) => Promise<unknown>
}

/** What is checked or not, and saved at once. If that fails, it goes back. */
export function useSaved(props: Saved) {
  const [chosen, setChosen] = createSignal<boolean>()
  const save = useAction(
    (isOn: boolean) => props.save(isOn).finally(() => setChosen(undefined)),
    () => undefined,
  )
  return {
    isChecked: () => chosen() ?? props.isChecked,
    change(isOn: boolean) {
      setChosen(isOn)
      save.mutate(isOn)
    },
  }
}

interface SavedSwitchProps extends Saved {
  label: JSX.Element
  hint: JSX.Element
}

/** A switch that is saved at once. */
export function SavedSwitch(props: SavedSwitchProps) {
  const saved = useSaved(props)
  return (
    <Switch label={props.label} hint={props.hint} isChecked={saved.isChecked()} onChange={saved.change} />
  )
}
