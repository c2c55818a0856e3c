import { useSearchParams } from '@solidjs/router'
import { useInfiniteQuery } from '@tanstack/solid-query'
import FunnelX from 'lucide-solid/icons/funnel-x'
import MailOpen from 'lucide-solid/icons/mail-open'
import { createMemo, For, Show } from 'solid-js'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../page-layout.tsx'
import { LogView, ShowMore } from '../query-view.tsx'
import { filterOf, mailsQuery } from './mail-data.ts'
import { MailFilters } from './mail-filters.tsx'
import { MailRow } from './mail-row.tsx'

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
  const isFiltered = () => Object.keys(filter()).length > 0

  return (
    <Page
      title="Received mail"
      lead={
        <>
          Every email Bellhop has fetched, and what happened to it.{' '}
          <DocsLink to="/docs/email#received-mail-and-quarantine">What the outcomes mean</DocsLink>
        </>
      }
    >
      <MailFilters
        filter={filter()}
        counts={query.data?.pages[0]?.counts}
        onChange={(change) => setSearch(change, { replace: true })}
      />
      <LogView query={query} what="received mail">
        {(found) => (
          <Show when={found().length > 0} fallback={<NoMails isFiltered={isFiltered()} />}>
            <ul class="entry-list" aria-label="Received mail">
              <For each={found()}>{(mail) => <MailRow mail={mail} />}</For>
            </ul>
            <ShowMore query={query} />
          </Show>
        )}
      </LogView>
    </Page>
  )
}

function NoMails(props: { isFiltered: boolean }) {
  return (
    <Show
      when={props.isFiltered}
      fallback={
        <EmptyState
          icon={<MailOpen />}
          title="No mail yet"
          text="Once a mailbox is connected, every email that arrives appears here."
          action={<a href="/settings/email">Go to mailboxes</a>}
        />
      }
    >
      <EmptyState
        icon={<FunnelX />}
        title="No matching email"
        text="Try another outcome or mailbox."
        action={<a href="/settings/mails">Show all received mail</a>}
      />
    </Show>
  )
}
