import { createSignal } from 'solid-js'

/** Whether the dialog is to open with a new ticket that was undone. Apart, because the inbox reads it at once. */
export const [isReopened, setReopened] = createSignal(false)
