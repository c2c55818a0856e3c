import { Tooltip as Base } from '@kobalte/core/tooltip'
import { type JSX, Show } from 'solid-js'
import { KeyHint } from './key-hint.tsx'
import type { TriggerProps } from './menu.tsx'
import './tooltip.css'

interface TooltipProps {
  text: string
  keys?: string
}

/** Shows `text` beside a button or a link, on hover and on focus. `trigger` makes it from what it is given. */
export function Tooltip(props: TooltipProps & { trigger: (given: TriggerProps) => JSX.Element }) {
  return (
    <Base openDelay={500} closeDelay={0} gutter={6}>
      <Base.Trigger as={(given: TriggerProps) => props.trigger(given)} />
      <TooltipContent text={props.text} keys={props.keys} />
    </Base>
  )
}

/** What floats; inside a Kobalte tooltip. */
export function TooltipContent(props: TooltipProps) {
  return (
    <Base.Portal>
      <Base.Content class="tooltip">
        {props.text}
        <Show when={props.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
      </Base.Content>
    </Base.Portal>
  )
}
