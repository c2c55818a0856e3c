import { createSignal } from 'solid-js'

/** The ticket whose dialog "Merge into…" is open. */
export const [mergingId, setMergingId] = createSignal<string>()
