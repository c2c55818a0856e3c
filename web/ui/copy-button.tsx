import Check from 'lucide-solid/icons/check'
import Copy from 'lucide-solid/icons/copy'
import { createSignal, onCleanup, Show } from 'solid-js'
import { announce } from './announcer.tsx'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { toastError } from './toaster.tsx'

const SAYS_DONE_FOR_MS = 2_000

interface CopyButtonProps {
  text: string
  /** What is copied: "Copy ticket id". */
  name: string
  /** Shows the name next to the icon. */
  isWritten?: boolean
  onCopied?: () => void
}

/** Copies text and confirms it. */
export function CopyButton(props: CopyButtonProps) {
  const [isDone, setDone] = createSignal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => clearTimeout(timer))

  async function copy() {
    if (!(await copyText(props.text))) return
    props.onCopied?.()
    setDone(true)
    clearTimeout(timer)
    timer = setTimeout(() => setDone(false), SAYS_DONE_FOR_MS)
  }

  const icon = () => (
    <Show when={isDone()} fallback={<Copy />}>
      <Check />
    </Show>
  )
  return (
    <Show
      when={props.isWritten}
      fallback={
        <IconButton name={isDone() ? 'Copied' : props.name} size="small" onClick={copy}>
          {icon()}
        </IconButton>
      }
    >
      <Button icon={icon()} onClick={copy}>
        {isDone() ? 'Copied' : props.name}
      </Button>
    </Show>
  )
}

/** Copies text and announces it. Returns false when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    toastError("Couldn't copy. Select the text and copy it yourself.")
    return false
  }
  announce('Copied')
  return true
}
