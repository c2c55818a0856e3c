import type { ActivityEntry } from '../ticket-query.ts'

type Change = ActivityEntry['changes'][number]

/** "Ben took the ticket", "Ben assigned the ticket to Cy and added the tag vip" */
export function activitySentence(entry: ActivityEntry, agentName: (id: string) => string): string {
  const done = entry.changes.map((change) => describe(change, entry.actor, agentName)).filter(Boolean)
  return `${entry.actor.name} ${done.join(' and ') || 'made no change'}`
}

function describe(
  { field, from, to }: Change,
  actor: ActivityEntry['actor'],
  agentName: (id: string) => string,
): string {
  if (field === 'status') return to === 'open' ? 'reopened the ticket' : `marked it ${to}`
  if (field === 'assignedTo') {
    return assigned({ from: idOf(from), to: idOf(to) }, actor.id, agentName)
  }
  if (field === 'tags') return tagsChanged(listOf(from), listOf(to))
  if (field === 'subject') return `changed the subject to “${to}”`
  return to === true ? 'marked it as spam' : 'marked it not spam'
}

function assigned(
  { from, to }: { from: string; to: string },
  actorId: string | undefined,
  agentName: (id: string) => string,
): string {
  if (to && to === actorId) return from ? `took the ticket from ${agentName(from)}` : 'took the ticket'
  if (to) return `assigned the ticket to ${agentName(to)}`
  return from === actorId ? 'unassigned themselves' : `unassigned ${from ? agentName(from) : 'the ticket'}`
}

function idOf(value: Change['from']): string {
  return typeof value === 'string' ? value : ''
}

function tagsChanged(from: string[], to: string[]): string {
  const added = to.filter((tag) => !from.includes(tag))
  const removed = from.filter((tag) => !to.includes(tag))
  return [
    added.length ? `added the ${named(added)}` : '',
    removed.length ? `removed the ${named(removed)}` : '',
  ]
    .filter(Boolean)
    .join(' and ')
}

function named(tags: string[]): string {
  return `${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`
}

function listOf(value: Change['from']): string[] {
  return Array.isArray(value) ? value : []
}
