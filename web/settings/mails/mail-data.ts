import { infiniteQueryOptions, queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'

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
    queryFn: ({ pageParam }) =>
      ask(
        api.console.mails.get({
          query: {
            ...(mailbox && { mailboxId: mailbox }),
            ...(outcome && { outcome }),
            limit: PAGE_SIZE,
            ...(pageParam && { cursor: pageParam }),
          },
        }),
      ),
    // Mail arrives all the time: always load it again.
    staleTime: 0,
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: { nextCursor?: string | undefined }) => nextCursor,
  })

export const mailQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.mail(id),
    queryFn: () => ask(api.console.mails({ id }).get()),
  })

/** Reads the filter from the URL and skips unknown values. */
export function filterOf(search: Record<string, string | string[] | undefined>): MailFilter {
  const { mailbox } = search
  const outcome = OUTCOMES.find((one) => one === search.outcome)
  return { ...(typeof mailbox === 'string' && mailbox && { mailbox }), ...(outcome && { outcome }) }
}
