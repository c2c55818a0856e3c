import { infiniteQueryOptions, queryOptions } from '@tanstack/solid-query'
import Bot from 'lucide-solid/icons/bot'
import Clock from 'lucide-solid/icons/clock'
import Copy from 'lucide-solid/icons/copy'
import MessageSquareText from 'lucide-solid/icons/message-square-text'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Undo2 from 'lucide-solid/icons/undo-2'
import UserRound from 'lucide-solid/icons/user-round'
import { type Answer, api, ask } from '../../api/api.ts'
import { logQuery } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { ShownState } from '../detail-list.tsx'
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

/** What happened to a mail. */
export const MAIL_OUTCOMES: Record<MailOutcome, ShownState> = {
  message: {
    word: 'Message',
    hint: 'It became a message in a ticket.',
    tone: 'green',
    icon: MessageSquareText,
  },
  automatic: {
    word: 'Automatic',
    hint: "Sent by a program, such as a vacation notice. It is in a ticket, but doesn't reopen one.",
    tone: 'grey',
    icon: Bot,
  },
  bounce: {
    word: 'Bounce',
    hint: "It reports that a reply wasn't delivered. The reply shows it.",
    tone: 'grey',
    icon: Undo2,
  },
  duplicate: {
    word: 'Duplicate',
    hint: 'The same email arrived before. Only the first one is in a ticket.',
    tone: 'grey',
    icon: Copy,
  },
  own: {
    word: 'Sent by us',
    hint: 'Bellhop sent it, such as a copy of a reply.',
    tone: 'grey',
    icon: UserRound,
  },
  pending: { word: 'Processing', hint: 'Bellhop is reading it.', tone: 'amber', icon: Clock },
  quarantined: {
    word: 'Quarantine',
    hint: "Bellhop couldn't turn it into a message.",
    tone: 'red',
    icon: ShieldAlert,
  },
}

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
