import { Dialog as Base } from '@kobalte/core/dialog'
import X from 'lucide-solid/icons/x'
import { type JSX, Show } from 'solid-js'
import './dialog.css'
import { createFocusReturn } from './focus-return.ts'
import { IconButton } from './icon-button.tsx'

interface DialogProps {
  isOpen: boolean
  /** Escape, the cross, or a press beside it. Without it the dialog stays until the page closes it. */
  onClose?: () => void
  title: string
  /** One sentence below the title, read out when the dialog opens. */
  description?: JSX.Element
  /** It opens by itself, perhaps while somebody types: the window takes the focus, and no field of it. */
  isSudden?: boolean
  size?: 'small' | 'normal' | 'wide'
  /** The buttons, the one that does it last. */
  footer?: JSX.Element
  children?: JSX.Element
}

/** A window over the page. It takes the focus, keeps it, and gives it back. */
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
            onOpenAutoFocus={props.isSudden ? focusWindow : focusBody}
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

/** The first field of the body; without one the window itself, and never the cross. */
function focusBody(event: Event) {
  if (!(event.target instanceof HTMLElement)) return
  const field = event.target.querySelector<HTMLElement>(
    '.dialog-body :is(input:not([readonly]), textarea, select):enabled',
  )
  event.preventDefault()
  ;(field ?? event.target).focus()
}
