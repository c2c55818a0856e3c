import { DropdownMenu as Base } from '@kobalte/core/dropdown-menu'
import Check from 'lucide-solid/icons/check'
import { type ComponentProps, type JSX, Show } from 'solid-js'
import type { Button } from './button.tsx'
import { KeyHint } from './key-hint.tsx'
import './menu.css'

interface MenuProps {
  /** Renders the button that opens the menu from the props it is given. */
  trigger: (given: TriggerProps) => JSX.Element
  /** `MenuItem`, `MenuChoice`, `MenuGroup` and `MenuLine`. */
  children: JSX.Element
  placement?: ComponentProps<typeof Base>['placement']
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
}

/** Props for the button that opens a menu. */
export type TriggerProps = ComponentProps<typeof Button>

/** A list of actions below a button. Arrow keys, first letters, Escape. */
export function Menu(props: MenuProps) {
  return (
    <Base
      placement={props.placement ?? 'bottom-start'}
      gutter={4}
      open={props.isOpen}
      onOpenChange={props.onOpenChange}
      preventScroll={false}
    >
      <Base.Trigger as={(given: TriggerProps) => props.trigger(given)} />
      <Base.Portal ref={keepVisibleToScreenReaders}>
        <Base.Content class="menu">{props.children}</Base.Content>
      </Base.Portal>
    </Base>
  )
}

interface MenuItemProps {
  onSelect: () => void
  icon?: JSX.Element
  /** The keyboard shortcut for the same action. */
  keys?: string
  /** The action deletes something. */
  isDanger?: boolean
  children: JSX.Element
}

/** One action. */
export function MenuItem(props: MenuItemProps) {
  return (
    <Base.Item class="menu-item" onSelect={props.onSelect} data-danger={props.isDanger || undefined}>
      {props.icon}
      <span class="menu-text">{props.children}</span>
      <Show when={props.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
    </Base.Item>
  )
}

/** One of several choices, checked when it is the current one. */
export function MenuChoice(props: MenuItemProps & { isChosen: boolean }) {
  return (
    <Base.CheckboxItem
      class="menu-item"
      checked={props.isChosen}
      onChange={() => props.onSelect()}
      closeOnSelect
    >
      {props.icon}
      <span class="menu-text">{props.children}</span>
      <Show when={props.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
      <Base.ItemIndicator class="menu-tick">
        <Check />
      </Base.ItemIndicator>
    </Base.CheckboxItem>
  )
}

/** Related items under a label. */
export function MenuGroup(props: { label: string; children: JSX.Element }) {
  return (
    <Base.Group>
      <Base.GroupLabel class="menu-label">{props.label}</Base.GroupLabel>
      {props.children}
    </Base.Group>
  )
}

/** A line between groups. */
export function MenuLine() {
  return <Base.Separator class="menu-line" />
}

/**
 * The `ref` of a portal whose content may open over a dialog, such as a list of options. Kobalte's dialog hides every
 * new element from screen readers except those with this attribute.
 */
export function keepVisibleToScreenReaders(portal: object): void {
  if (portal instanceof HTMLElement) portal.dataset.reactAriaTopLayer = 'true'
}
