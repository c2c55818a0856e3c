import { queryOptions } from '@tanstack/solid-query'
import CircleX from 'lucide-solid/icons/circle-x'
import LogIn from 'lucide-solid/icons/log-in'
import { type Answer, api, ask } from '../../api/api.ts'
import { createResource } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { ACCOUNT_STATES } from '../channel-account.tsx'
import type { ShownState } from '../detail-list.tsx'

export type Mailbox = Answer<typeof api.console.mailboxes.get>['data'][number]
export type SignIn = Mailbox['signIn']
export type OauthProvider = Exclude<SignIn, 'password'>
export type MailProvider = Answer<(typeof api.console)['mailbox-presets']['get']>['data'][number]
export type OauthClient = Answer<(typeof api.console)['oauth-clients']['get']>['data'][number]

export const PROVIDER_NAMES: Record<OauthProvider, string> = { google: 'Google', microsoft: 'Microsoft' }

export const MAILBOXES_PAGE = { href: '/settings/email', name: 'Email' }

export const mailboxes = createResource({
  listKey: queryKeys.mailboxes,
  keyOf: queryKeys.mailbox,
  readList: () => ask(api.console.mailboxes.get()),
  read: (id) => ask(api.console.mailboxes({ id }).get()),
  affected: [queryKeys.channelProblems, queryKeys.checklist],
})

export const PLAIN_ANSWERS =
  "Email to this address with +… before the @ doesn't arrive, so replies use the plain address. Answers are recognized by their headers."

const STATES: Record<Mailbox['state'], ShownState> = {
  ...ACCOUNT_STATES,
  refused: { word: 'Sign-in refused', tone: 'red', icon: CircleX },
}
const UNFINISHED: ShownState = { word: 'Not signed in', tone: 'amber', icon: LogIn }

export function shownStateOf({ isSignedIn, state }: Mailbox): ShownState {
  return isSignedIn ? STATES[state] : UNFINISHED
}

export function isBroken({ state }: Mailbox): boolean {
  return state === 'failing' || state === 'refused'
}

/** "1,204 on the server, all processed": mails in the folders that are read, against those that Bellhop has seen to. */
export function mailCountSentence({ health: { onServer, unaccounted } }: Mailbox): string {
  if (onServer === null) return 'Not counted yet'
  const counted = `${onServer.toLocaleString('en')} on the server`
  if (!unaccounted) return `${counted}, all processed`
  return `${counted}, ${unaccounted.toLocaleString('en')} still to process`
}

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

/** Leaves this page for the provider's, which leads back to the mailbox. */
export async function openSignIn(id: string, login: string): Promise<void> {
  const body = login.trim() ? { login: login.trim() } : {}
  const { url } = await ask(api.console.mailboxes({ id })['sign-in'].post(body))
  location.assign(url)
}
