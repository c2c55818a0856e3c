import { onConnectionBack } from '../live.ts'
import { createKeeper, NOTHING, type TabKeeper } from './draft.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { type DraftKind, parseStored, storageKey } from './stored-draft.ts'

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

/** The one keeper of a draft in this tab: it goes on saving when the ticket is left. */
export function draftOf(agentId: string, ticketId: string, kind: DraftKind): DraftKeeper {
  const key = storageKey(agentId, ticketId, kind)
  const keeper = keepers.get(key) ?? createKeeper(key, ticketId, kind)
  keepers.set(key, keeper)
  return keeper
}
