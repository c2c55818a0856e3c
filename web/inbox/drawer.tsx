import { Dialog } from '@kobalte/core/dialog'
import type { JSX } from 'solid-js'
import { createFocusReturn } from '../ui/focus-return.ts'
import './drawer.css'

interface DrawerProps {
  isOpen: boolean
  onClose: () => void
  /** What it is, for screen readers. */
  label: string
  side: 'left' | 'right'
  children: JSX.Element
}

/** A pane that a narrow screen has no room for: it comes in over the page. */
export function Drawer(props: DrawerProps) {
  const returnFocus = createFocusReturn(() => props.isOpen)
  return (
    <Dialog open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="dialog-backdrop" />
        <Dialog.Content
          onOpenAutoFocus={focusItself}
          onCloseAutoFocus={returnFocus}
          class="drawer"
          data-side={props.side}
          aria-label={props.label}
        >
          {props.children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  )
}

/** The first button inside would show its tooltip, and Escape would close that instead of the drawer. */
function focusItself(event: Event): void {
  event.preventDefault()
  if (event.target instanceof HTMLElement) event.target.focus()
}
