import Check from 'lucide-solid/icons/check'
import Copy from 'lucide-solid/icons/copy'
import { createSignal, onCleanup, Show } from 'solid-js'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'

const SAYS_DONE_FOR_MS = 2_000

interface CopyButtonProps {
  text: string
  /** What is copied: "Copy ticket id". */
  name: string
  /** Writes the name beside the icon. */
  isWritten?: boolean
  onCopied?: () => void
}

/** Copies a text, and says so. */
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
