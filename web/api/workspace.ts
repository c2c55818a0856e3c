import { queryOptions } from '@tanstack/solid-query'
import { createMemo } from 'solid-js'
import { setPrograms } from '../ui/avatar.tsx'
import { type Answer, api, ask } from './api.ts'
import { observe } from './queries.ts'
import { queryKeys } from './query-keys.ts'

// Data that all agents of an organization share: changed in the settings, used in the inbox.

export type Agent = Answer<typeof api.console.agents.get>['data'][number]
export type SavedReply = Answer<(typeof api.console)['saved-replies']['get']>['data'][number]
export type FirstSteps = Answer<typeof api.console.checklist.get>['data']
export type KnownTag = Answer<typeof api.console.tags.get>['data'][number]

export const agentsQuery = queryOptions({
  queryKey: queryKeys.agents,
  queryFn: async () => {
    const agents = await ask(api.console.agents.get())
    const ofPrograms = agents.data.filter(({ role }) => role === 'program')
    setPrograms(new Map(ofPrograms.map(({ id, picture }) => [id, picture])))
    return agents
  },
})

export const tagsQuery = queryOptions({
  queryKey: queryKeys.tags,
  queryFn: () => ask(api.console.tags.get()),
})

export const savedRepliesQuery = queryOptions({
  queryKey: queryKeys.savedReplies,
  queryFn: () => ask(api.console['saved-replies'].get()),
})

/** The mailboxes that messages leave through. */
export const sendersQuery = queryOptions({
  queryKey: queryKeys.senders,
  queryFn: () => ask(api.console.mailboxes.senders.get()),
})

/** The setup steps of the organization, with the state of each. */
export const checklistQuery = queryOptions({
  queryKey: queryKeys.checklist,
  queryFn: () => ask(api.console.checklist.get()),
})

/** How many steps are done, and how many there are. */
export function countSteps(steps: FirstSteps): { done: number; possible: number } {
  return { done: steps.filter(({ state }) => state === 'done').length, possible: steps.length }
}

/** All agents, including invited and disabled ones. */
export function useAgents() {
  const result = observe(() => agentsQuery)
  return createMemo(() => result().data?.data ?? [])
}

export function useTags() {
  const result = observe(() => tagsQuery)
  return createMemo(() => result().data?.data ?? [])
}

/** Those that the agent uses most come first, the others by name. */
export function useSavedReplies() {
  const result = observe(() => savedRepliesQuery)
  return createMemo(() => (result().data?.data ?? []).toSorted((one, other) => other.uses - one.uses))
}
