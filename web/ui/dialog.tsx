import { Dialog as Base } from '@kobalte/core/dialog'
import X from 'lucide-solid/icons/x'
import { type JSX, Show } from 'solid-js'
import './dialog.css'
import { createFocusReturn } from './focus-return.ts'
import { IconButton } from './icon-button.tsx'

interface DialogProps {
  isOpen: boolean
  /** Called for Escape, the close button and a click outside. Without it only the page can close the dialog. */
  onClose?: () => void
  title: string
  /** One sentence below the title, read by screen readers when the dialog opens. */
  description?: JSX.Element
  /** The dialog may open while the user types: it takes the focus, but none of its fields does. */
  isUnprompted?: boolean
  size?: 'small' | 'normal' | 'wide'
  /** The buttons, the confirming one last. */
  footer?: JSX.Element
  children?: JSX.Element
}

/** A modal dialog that traps the focus and returns it on close. */
export function Dialog(props: DialogProps) {
  const returnFocus = createFocusReturn(() => props.isOpen)
  return (
    <Base open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose?.()} modal>
      <Base.Portal>
        <Base.Overlay class="dialog-backdrop" />
        <div class="dialog-place">
          <Base.Content
            class="dialog"
            data-size={props.size ?? 'normal'}
            onOpenAutoFocus={props.isUnprompted ? focusWindow : focusBody}
            onCloseAutoFocus={returnFocus}
          >
            <header class="dialog-head">
              <Base.Title>{props.title}</Base.Title>
              <Show when={props.onClose}>
                {(close) => (
                  <IconButton name="Close" size="small" onClick={() => close()()}>
                    <X />
                  </IconButton>
                )}
              </Show>
            </header>
            <Show when={props.description}>
              <Base.Description class="dialog-description">{props.description}</Base.Description>
            </Show>
            <div class="dialog-body">{props.children}</div>
            <Show when={props.footer}>
              <footer class="dialog-foot">{props.footer}</footer>
            </Show>
          </Base.Content>
        </div>
      </Base.Portal>
    </Base>
  )
}

function focusWindow(event: Event) {
  event.preventDefault()
  if (event.target instanceof HTMLElement) event.target.focus()
}

/** Focuses the first field of the body, or the dialog when it has none; never the close button. */
function focusBody(event: Event) {
  if (!(event.target instanceof HTMLElement)) return
  const field = event.target.querySelector<HTMLElement>(
    '.dialog-body :is(input:not([readonly]), textarea, select):enabled',
  )
  event.preventDefault()
  ;(field ?? event.target).focus()
}
