import { useMutation } from '@tanstack/solid-query'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CirclePlay from 'lucide-solid/icons/circle-play'
import { Show } from 'solid-js'
import { errorMessage } from '../api/api-problem.ts'
import { Button } from '../ui/button.tsx'
import { toast, toastError } from '../ui/toaster.tsx'

interface PauseButtonProps<Item extends { state: string }> {
  item: Item
  /** Begins the sentence of the toast. */
  noun: string
  /** Pauses it, or resumes it. Returns it as it is then. */
  pause: (isPaused: boolean) => Promise<Item>
  onChange: (item: Item) => void
}

/** Pauses or resumes a mailbox, bot or widget. The toast takes it back. */
export function PauseButton<Item extends { state: string }>(props: PauseButtonProps<Item>) {
  const pause = useMutation(() => ({
    mutationFn: (isPaused: boolean) => props.pause(isPaused),
    onSuccess: (item: Item) => {
      props.onChange(item)
      const isPaused = item.state === 'paused'
      toast(`${props.noun} ${isPaused ? 'paused' : 'resumed'}.`, {
        text: 'Undo',
        run: () => pause.mutate(!isPaused),
      })
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <Show
      when={props.item.state === 'paused'}
      fallback={
        <Button icon={<CirclePause />} isBusy={pause.isPending} onClick={() => pause.mutate(true)}>
          Pause
        </Button>
      }
    >
      <Button
        look="primary"
        icon={<CirclePlay />}
        isBusy={pause.isPending}
        onClick={() => pause.mutate(false)}
      >
        Resume
      </Button>
    </Show>
  )
}
