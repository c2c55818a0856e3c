import { Dialog } from '@kobalte/core/dialog'
import type { JSX } from 'solid-js'
import { createFocusReturn } from '../ui/focus-return.ts'
import './drawer.css'

interface DrawerProps {
  isOpen: boolean
  onClose: () => void
  /** For screen readers. */
  label: string
  side: 'left' | 'right'
  children: JSX.Element
}

/** A pane that slides in over the page on a narrow screen. */
export function Drawer(props: DrawerProps) {
  const returnFocus = createFocusReturn(() => props.isOpen)
  return (
    <Dialog open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="dialog-backdrop" />
        <Dialog.Content
          onOpenAutoFocus={focusDrawer}
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

/** Focusing the first button would open its tooltip, and Escape would close that instead of the drawer. */
function focusDrawer(event: Event): void {
  event.preventDefault()
  if (event.target instanceof HTMLElement) event.target.focus()
}
