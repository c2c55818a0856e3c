import { createSignal } from 'solid-js'
import { storedKeys } from '../../browser/local-storage.ts'

/** Begins the keys of what this browser keeps of outgoing mails. An agent's id follows. */
export const PREFIX = 'bellhop.outgoing.'

/** How many of the agent's drafts this browser keeps. */
export function countMailDrafts(agentId: string): number {
  return storedKeys(`${PREFIX}${agentId}.`).length
}

/** Whether the dialog is to open with a new ticket that was undone. Apart, because the inbox reads it at once. */
export const [isReopened, setReopened] = createSignal(false)
