import { onConnectionBack } from '../../live/live.ts'
import { createKeeper, NOTHING, type TabKeeper } from './draft.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { type DraftKind, forgetStored, parseStored, storageKey } from './stored-draft.ts'

const keepers = new Map<string, TabKeeper>()

window.addEventListener('storage', ({ key, newValue }) => {
  keepers.get(key ?? '')?.heardOfOtherTab(parseStored(newValue) ?? NOTHING)
})
window.addEventListener('pagehide', () => {
  for (const keeper of keepers.values()) keeper.leaves()
})
onConnectionBack(() => {
  for (const keeper of keepers.values()) keeper.saveAgain()
})

/** The ticket is deleted for ever, and so is what was begun on it. */
export function forgetDrafts(agentId: string, ticketId: string): void {
  for (const kind of ['reply', 'note'] as const) {
    const key = storageKey(agentId, ticketId, kind)
    const keeper = keepers.get(key)
    keepers.delete(key)
    if (keeper) keeper.forget()
    else forgetStored(key)
  }
}

/** The one keeper of a draft in this tab: it goes on saving when the ticket is left. */
export function draftOf(agentId: string, ticketId: string, kind: DraftKind): DraftKeeper {
  const key = storageKey(agentId, ticketId, kind)
  const keeper = keepers.get(key) ?? createKeeper(key, ticketId, kind)
  keepers.set(key, keeper)
  return keeper
}
