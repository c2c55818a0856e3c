import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Organization = Answer<typeof api.console.organization.get>
type OrganizationChange = Partial<
  Pick<Organization, 'name' | 'reopens' | 'assignOnReply' | 'publicName' | 'website' | 'signature'>
>

export const organizationQuery = queryOptions({
  queryKey: queryKeys.organization,
  queryFn: () => ask(api.console.organization.get()),
})

/** Saves a change and shows it everywhere on the page. */
export async function saveOrganization(change: OrganizationChange): Promise<void> {
  const saved = await ask(api.console.organization.patch(change))
  queries.setQueryData(['organization'], saved)
  if (change.name !== undefined) void queries.invalidateQueries({ queryKey: queryKeys.session })
}
