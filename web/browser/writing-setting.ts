import { createSignal } from 'solid-js'
import { readStored, store } from './local-storage.ts'

const KEY = 'bellhop.writesMarkdown'

const [writes, setWrites] = createSignal(readStored(KEY, (value) => typeof value === 'boolean', false))

/** Whether this browser shows texts as Markdown while they are written. */
export const writesMarkdown = writes

export function switchToMarkdown(isOn: boolean): void {
  setWrites(isOn)
  store(KEY, isOn)
}
