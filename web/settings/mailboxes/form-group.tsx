import ChevronRight from 'lucide-solid/icons/chevron-right'
import { createEffect, createSignal, type JSX } from 'solid-js'
import './form-group.css'

interface FormGroupProps {
  title: string
  /** What is inside, in a few words: the values while it is closed. */
  text: JSX.Element
  /** Opens the group because something in it is wrong or missing. Only the user closes it. */
  isNeeded?: boolean
  children: JSX.Element
}

/** Fields of a form that are folded away until they are needed. */
export function FormGroup(props: FormGroupProps) {
  const [isOpen, setOpen] = createSignal(false)
  createEffect(() => {
    if (props.isNeeded) setOpen(true)
  })
  return (
    <details class="form-group" open={isOpen()} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight class="form-group-mark" />
        <span>
          <span class="form-group-title">{props.title}</span>
          <span class="form-group-text">{props.text}</span>
        </span>
      </summary>
      <div class="form-group-fields">{props.children}</div>
    </details>
  )
}
