import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type ApiKey = Answer<typeof api.console.keys.get>['data'][number]
export type Scope = NonNullable<ApiKey['scopes']>[number]

/** The scopes of a key, and what each allows. */
export const SCOPES: { scope: Scope; text: string }[] = [
  { scope: 'tickets:read', text: 'List tickets and read their messages.' },
  { scope: 'tickets:write', text: 'Create tickets and change their status, assignee and tags.' },
  { scope: 'messages:write', text: 'Send messages on tickets as an agent.' },
]

export const keysQuery = queryOptions({
  queryKey: queryKeys.apiKeys,
  queryFn: () => ask(api.console.keys.get()),
})

/** Reloads the keys after a change. */
export function keysChanged(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.apiKeys })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}

/** Whether requests with the key are accepted now. */
export function isUsable({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): boolean {
  return !revokedAt && !(expiresAt && Date.parse(expiresAt) <= Date.now())
}
