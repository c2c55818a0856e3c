import { useAgents } from '../../api/workspace.ts'
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
  const { status, assignedTo, ...tags } = actions
  const { addTags = [], removeTags = [] } = tags
  const list: Action[] = []
  if (status) list.push({ words: STATUS_WORDS[status], without: remaining({ assignedTo, ...tags }) })
  if (assignedTo !== undefined) {
    const words = assignedTo ? `assign to ${nameOf(assignedTo)}` : 'unassign'
    list.push({ words, without: remaining({ status, ...tags }) })
  }
  for (const tag of addTags) {
    const others = addTags.filter((other) => other !== tag)
    list.push({ words: `tag ${tag}`, without: remaining({ ...actions, addTags: others }) })
  }
  for (const tag of removeTags) {
    const others = removeTags.filter((other) => other !== tag)
    list.push({ words: `remove tag ${tag}`, without: remaining({ ...actions, removeTags: others }) })
  }
  return list
}

/** Without what says nothing. */
function remaining({ status, assignedTo, addTags = [], removeTags = [] }: Actions): Actions | undefined {
  const left: Actions = {
    ...(status && { status }),
    ...(assignedTo !== undefined && { assignedTo }),
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
  }
  return Object.keys(left).length > 0 ? left : undefined
}
