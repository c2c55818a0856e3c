import { Dialog } from '@kobalte/core/dialog'
import type { JSX } from 'solid-js'
import { createFocusReturn } from '../../ui/focus-return.ts'
import '../../ui/dialog.css'
import './palette.css'

interface OverlayProps {
  isOpen: boolean
  onClose: () => void
  /** For screen readers. */
  label: string
  isSmall?: boolean
  children: JSX.Element
}

/** A panel at the top of the page for quick actions: command menu, assignee picker, tag picker. */
export function Overlay(props: OverlayProps) {
  const returnFocus = createFocusReturn(() => props.isOpen)
  return (
    <Dialog open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="dialog-backdrop" />
        <div class="overlay-position">
          <Dialog.Content
            onCloseAutoFocus={returnFocus}
            class="overlay ringless"
            data-small={props.isSmall || undefined}
            aria-label={props.label}
          >
            {props.children}
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog>
  )
}
