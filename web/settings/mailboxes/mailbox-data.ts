import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Mailbox = Answer<typeof api.console.mailboxes.get>['data'][number]
export type SignIn = Mailbox['signIn']
export type OauthProvider = Exclude<SignIn, 'password'>
export type MailProvider = Answer<(typeof api.console)['mailbox-presets']['get']>['data'][number]
export type OauthClient = Answer<(typeof api.console)['oauth-clients']['get']>['data'][number]

export const PROVIDER_NAMES: Record<OauthProvider, string> = { google: 'Google', microsoft: 'Microsoft' }

export const mailboxesQuery = queryOptions({
  queryKey: queryKeys.mailboxes,
  queryFn: () => ask(api.console.mailboxes.get()),
})

export const mailboxQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.mailbox(id),
    queryFn: () => ask(api.console.mailboxes({ id }).get()),
  })

/** They change with the aliases. */
export const suggestedAliasesQuery = ({ id, aliases }: Pick<Mailbox, 'id' | 'aliases'>) =>
  queryOptions({
    queryKey: [...queryKeys.suggestedAliases(id), ...aliases],
    queryFn: () => ask(api.console.mailboxes({ id })['suggested-aliases'].get()),
  })

/** The known providers, and the one of an address. Without an address, only the list. */
export const mailProvidersQuery = (address: string) =>
  queryOptions({
    queryKey: queryKeys.mailProviders(address),
    queryFn: () => ask(api.console['mailbox-presets'].get({ query: address ? { address } : {} })),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const oauthClientsQuery = queryOptions({
  queryKey: queryKeys.oauthClients,
  queryFn: () => ask(api.console['oauth-clients'].get()),
})

/** Shows a changed mailbox at once, everywhere on the page. */
export function showMailbox(mailbox: Mailbox): void {
  showSaved(['mailbox', mailbox.id], mailbox)
  mailboxesChanged()
}

export function mailboxesChanged(): void {
  for (const queryKey of [queryKeys.mailboxes, queryKeys.channelProblems, queryKeys.checklist]) {
    void queries.invalidateQueries({ queryKey })
  }
}

/** Leaves this page for the provider's, which leads back to the mailbox. */
export async function openSignIn(id: string, login: string): Promise<void> {
  const body = login.trim() ? { login: login.trim() } : {}
  const { url } = await ask(api.console.mailboxes({ id })['sign-in'].post(body))
  location.assign(url)
}
