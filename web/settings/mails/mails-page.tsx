import { useSearchParams } from '@solidjs/router'
import { useInfiniteQuery, useQuery } from '@tanstack/solid-query'
import MailOpen from 'lucide-solid/icons/mail-open'
import { createMemo, For, Show } from 'solid-js'
import { shortId } from '../../ticket/ticket-names.ts'
import { DocsLink } from '../../ui/docs-link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StateBadge } from '../detail-list.tsx'
import { EntryList } from '../entry.tsx'
import { FilterSelect, withChosen } from '../filters.tsx'
import { mailboxes } from '../mailboxes/mailbox-data.ts'
import { LogPage } from '../query-view.tsx'
import {
  filterOf,
  MAIL_OUTCOMES,
  type Mail,
  type MailFilter,
  type MailOutcome,
  mailsQuery,
  OUTCOMES,
  senderOf,
  subjectOf,
} from './mail-data.ts'
import './mails-page.css'

const REFETCH_MS = 10_000

/** Every mail that was fetched, newest first, and what happened to it. The filter is kept in the URL. */
export function MailsPage() {
  const [search, setSearch] = useSearchParams()
  const filter = createMemo(() => filterOf(search))
  const query = useInfiniteQuery(() => ({
    ...mailsQuery(filter()),
    reconcile: 'id',
    refetchInterval: REFETCH_MS,
  }))
  return (
    <LogPage
      title="Received mail"
      lead={
        <>
          Every email Bellhop has fetched, and what happened to it.{' '}
          <DocsLink to="/docs/email#received-mail-and-quarantine">What the outcomes mean</DocsLink>
        </>
      }
      filters={
        <MailFilters
          filter={filter()}
          counts={query.data?.pages[0]?.counts}
          onChange={(change) => setSearch(change, { replace: true })}
        />
      }
      isFiltered={Object.keys(filter()).length > 0}
      query={query}
      what="received mail"
      empty={{
        icon: <MailOpen />,
        title: 'No mail yet',
        text: 'Once a mailbox is connected, every email that arrives appears here.',
        action: <a href="/settings/email">Go to mailboxes</a>,
      }}
      noMatch={{
        title: 'No matching email',
        text: 'Try another outcome or mailbox.',
        action: <a href="/settings/mails">Show all received mail</a>,
      }}
    >
      {(rows) => (
        <EntryList label="Received mail" items={rows()}>
          {(mail) => <MailRow mail={mail} />}
        </EntryList>
      )}
    </LogPage>
  )
}

/** One mail in the log: outcome, sender, subject and time, and why it is no message. */
function MailRow(props: { mail: Mail }) {
  return (
    <li class="entry-linked">
      <a class="entry-link entry-columns mails-page-columns" href={`/settings/mails/${props.mail.id}`}>
        <span>
          <StateBadge state={MAIL_OUTCOMES[props.mail.outcome]} />
        </span>
        <span class="mails-page-from">{senderOf(props.mail)}</span>
        <span>
          {subjectOf(props.mail)}
          <Show when={props.mail.ticketId}>
            {(id) => <code class="mails-page-ticket muted">{shortId(id())}</code>}
          </Show>
        </span>
        <span class="entry-time">
          <RelativeTime at={props.mail.receivedAt} />
        </span>
        <Show when={props.mail.outcome === 'quarantined' && props.mail.reason}>
          {(reason) => <span class="mails-page-reason entry-error">{reason()}</span>}
        </Show>
      </a>
    </li>
  )
}

interface MailFiltersProps {
  filter: MailFilter
  /** Mails by outcome; undefined while they load. */
  counts: Record<string, number> | undefined
  /** Parameters of the URL. Null removes one. */
  onChange: (change: { mailbox?: string | null; outcome?: string | null }) => void
}

/** The outcomes with their counts, and the mailbox if there are several. */
function MailFilters(props: MailFiltersProps) {
  const total = () => Object.values(props.counts ?? {}).reduce((sum, count) => sum + count, 0)
  return (
    <search class="mails-page-filters row" aria-label="Filter received mail">
      <div class="mails-page-outcomes">
        <Chip
          label="All"
          count={total()}
          isKnown={props.counts !== undefined}
          isChosen={!props.filter.outcome}
          onChoose={() => props.onChange({ outcome: null })}
        />
        <For each={OUTCOMES}>
          {(outcome) => (
            <Show when={isShown(outcome, props)}>
              <Chip
                label={MAIL_OUTCOMES[outcome].word}
                count={props.counts?.[outcome] ?? 0}
                isKnown={props.counts !== undefined}
                isChosen={props.filter.outcome === outcome}
                onChoose={() => props.onChange({ outcome })}
              />
            </Show>
          )}
        </For>
      </div>
      <MailboxFilter value={props.filter.mailbox} onChange={(mailbox) => props.onChange({ mailbox })} />
    </search>
  )
}

/** Mail is processed within a second, so that this outcome is rarely there. */
function isShown(outcome: MailOutcome, { filter, counts }: MailFiltersProps): boolean {
  return outcome !== 'pending' || filter.outcome === outcome || Boolean(counts?.pending)
}

function Chip(props: {
  label: string
  count: number
  isKnown: boolean
  isChosen: boolean
  onChoose: () => void
}) {
  return (
    <button
      type="button"
      class="mails-page-chip"
      aria-pressed={props.isChosen}
      onClick={() => props.onChoose()}
    >
      {props.label}
      <Show when={props.isKnown}>
        <span class="count">{props.count.toLocaleString('en')}</span>
      </Show>
    </button>
  )
}

function MailboxFilter(props: { value: string | undefined; onChange: (id: string | null) => void }) {
  const query = useQuery(() => mailboxes.list)
  const listed = () => (query.data?.data ?? []).map(({ id, address }) => ({ value: id, label: address }))
  const options = () => (query.data ? withChosen(listed(), props.value, 'Removed mailbox') : [])
  return (
    <Show when={options().length > 1 || props.value}>
      <FilterSelect
        label="Mailbox"
        anyLabel="All mailboxes"
        options={options()}
        value={props.value}
        onChange={props.onChange}
      />
    </Show>
  )
}
