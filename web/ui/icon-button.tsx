import { Tooltip } from '@kobalte/core/tooltip'
import { Show, splitProps } from 'solid-js'
import { Button, type ButtonProps } from './button.tsx'
import './button.css'
import { KeyHint, keyShortcut } from './key-hint.tsx'

interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'keys'> {
  /** What it does, for screen readers and the tooltip. */
  name: string
  keys?: string
}

/** A button with only an icon, its child. The name and shortcut appear in a tooltip. */
export function IconButton(props: IconButtonProps) {
  const [own, rest] = splitProps(props, ['name', 'keys', 'class', 'look'])
  return (
    <Tooltip openDelay={500} closeDelay={0} gutter={6}>
      <Tooltip.Trigger<typeof Button>
        {...rest}
        as={Button}
        look={own.look ?? 'quiet'}
        class={`icon-button ${own.class ?? ''}`}
        aria-label={own.name}
        aria-keyshortcuts={own.keys ? keyShortcut(own.keys) : undefined}
      />
      <Tooltip.Portal>
        <Tooltip.Content class="icon-button-tooltip">
          {own.name}
          <Show when={own.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip>
  )
}
