import { useAgents } from '../../api/workspace.ts'
import { comingTime } from '../thread/times.ts'
import type { TicketStatus } from '../ticket-query.ts'
import type { Actions } from './actions.ts'

interface Action {
  /** "resolve", "tag refund", "assign to Ben" */
  words: string
  /** The others; undefined if it is the only one. */
  without: Actions | undefined
}

const STATUS_WORDS: Record<TicketStatus, string> = {
  open: 'open',
  pending: 'set to pending',
  resolved: 'resolve',
}

/** Returns what takes actions apart, one for each thing that is done. */
export function useActionList(): (actions: Actions | undefined) => Action[] {
  const agents = useAgents()
  const nameOf = (agentId: string) => agents().find(({ id }) => id === agentId)?.name ?? 'a colleague'
  return (actions) => (actions ? listOf(actions, nameOf) : [])
}

function listOf(actions: Actions, nameOf: (agentId: string) => string): Action[] {
  const { status, assignedTo, addTags = [], removeTags = [], snoozedUntil } = actions
  const list: Action[] = []
  if (status)
    list.push({ words: STATUS_WORDS[status], without: remaining({ ...actions, status: undefined }) })
  if (assignedTo !== undefined) {
    const words = assignedTo ? `assign to ${nameOf(assignedTo)}` : 'unassign'
    list.push({ words, without: remaining({ ...actions, assignedTo: undefined }) })
  }
  for (const tag of addTags) {
    const others = addTags.filter((other) => other !== tag)
    list.push({ words: `tag ${tag}`, without: remaining({ ...actions, addTags: others }) })
  }
  for (const tag of removeTags) {
    const others = removeTags.filter((other) => other !== tag)
    list.push({ words: `remove tag ${tag}`, without: remaining({ ...actions, removeTags: others }) })
  }
  if (snoozedUntil) {
    const words = `snooze until ${comingTime(new Date(snoozedUntil))}`
    list.push({ words, without: remaining({ ...actions, snoozedUntil: undefined, why: undefined }) })
  }
  return list
}

/** Without what says nothing. */
function remaining({
  status,
  assignedTo,
  addTags = [],
  removeTags = [],
  snoozedUntil,
  why,
}: Actions): Actions | undefined {
  const left: Actions = {
    ...(status && { status }),
    ...(assignedTo !== undefined && { assignedTo }),
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
    ...(snoozedUntil && { snoozedUntil, ...(why && { why }) }),
  }
  return Object.keys(left).length > 0 ? left : undefined
}
