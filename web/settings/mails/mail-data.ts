import { infiniteQueryOptions, queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { logQuery } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { wordIn } from '../filters.tsx'

type MailList = Answer<typeof api.console.mails.get>
export type Mail = MailList['data'][number]
export type MailOutcome = Mail['outcome']

const PAGE_SIZE = 50

/** The filter of the ledger, as in the URL of the page. */
export interface MailFilter {
  /** A mailbox id. */
  mailbox?: string
  outcome?: MailOutcome
}

/** In the order of the filter: what needs someone comes first, where phones show it. */
export const OUTCOMES: MailOutcome[] = [
  'quarantined',
  'message',
  'automatic',
  'bounce',
  'duplicate',
  'own',
  'pending',
]

export const mailsQuery = ({ mailbox, outcome }: MailFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.mailList({ mailbox, outcome }),
    ...logQuery((cursor) =>
      ask(
        api.console.mails.get({
          query: {
            ...(mailbox && { mailboxId: mailbox }),
            ...(outcome && { outcome }),
            limit: PAGE_SIZE,
            ...(cursor && { cursor }),
          },
        }),
      ),
    ),
  })

export const mailQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.mail(id),
    queryFn: () => ask(api.console.mails({ id }).get()),
  })

/** Reads the filter from the URL and skips unknown values. */
export function filterOf(search: Record<string, string | string[] | undefined>): MailFilter {
  const { mailbox } = search
  const outcome = wordIn(OUTCOMES, search.outcome)
  return { ...(typeof mailbox === 'string' && mailbox && { mailbox }), ...(outcome && { outcome }) }
}

/** Erased mails have neither sender nor subject, and those that were not read yet. */
export function senderOf({ from }: Mail): string {
  return from || 'Unknown sender'
}

export function subjectOf({ subject }: Mail): string {
  return subject || '(no subject)'
}
