import ChevronRight from 'lucide-solid/icons/chevron-right'
import { createEffect, createSignal, type JSX } from 'solid-js'

interface DisclosureProps {
  summary: JSX.Element
  isOpen?: boolean
  /** The mark is after the summary. */
  isMarkLast?: boolean
  class: string
  children: JSX.Element
}

/** Something that opens below its summary. `isOpen` opens it; only the user closes it. */
export function Disclosure(props: DisclosureProps) {
  const [isOpen, setOpen] = createSignal(false)
  createEffect(() => {
    if (props.isOpen) setOpen(true)
  })
  const mark = <ChevronRight class="disclosure-mark" />
  return (
    <details
      class={`disclosure ${props.class}`}
      open={isOpen()}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {!props.isMarkLast && mark}
        {props.summary}
        {props.isMarkLast && mark}
      </summary>
      {props.children}
    </details>
  )
}
