import { DropdownMenu as Base } from '@kobalte/core/dropdown-menu'
import Check from 'lucide-solid/icons/check'
import { type ComponentProps, type JSX, Show } from 'solid-js'
import type { Button } from './button.tsx'
import { KeyHint } from './key-hint.tsx'
import './menu.css'
import { spareFromHiding } from './top-layer.ts'

interface MenuProps {
  /** What opens it: an `IconButton` or a `Button`, made from what it is given. */
  trigger: (given: TriggerProps) => JSX.Element
  /** `MenuItem`, `MenuChoice`, `MenuGroup` and `MenuLine`. */
  children: JSX.Element
  placement?: ComponentProps<typeof Base>['placement']
  isOpen?: boolean
  onOpenChange?: (isOpen: boolean) => void
}

/** To be spread on the button that opens a menu. */
export type TriggerProps = ComponentProps<typeof Button>

/** A list of things to do that opens below a button. Arrow keys, first letters, Escape. */
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
      <Base.Portal ref={spareFromHiding}>
        <Base.Content class="menu">{props.children}</Base.Content>
      </Base.Portal>
    </Base>
  )
}

interface MenuItemProps {
  onSelect: () => void
  icon?: JSX.Element
  /** The key that does the same without the menu. */
  keys?: string
  /** It deletes. */
  isDanger?: boolean
  children: JSX.Element
}

/** One thing to do. */
export function MenuItem(props: MenuItemProps) {
  return (
    <Base.Item class="menu-item" onSelect={props.onSelect} data-danger={props.isDanger || undefined}>
      {props.icon}
      <span class="menu-text">{props.children}</span>
      <Show when={props.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
    </Base.Item>
  )
}

/** One of several, with a tick when it is the present one. */
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

/** Things that belong together, below their name. */
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
