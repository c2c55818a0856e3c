import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/solid-query'
import FunnelX from 'lucide-solid/icons/funnel-x'
import Plus from 'lucide-solid/icons/plus'
import {
  type Accessor,
  type ComponentProps,
  createSignal,
  For,
  type JSX,
  Match,
  Show,
  Switch,
} from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { FailedQuery } from '../forms/failed-state.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { EntryList } from './entry.tsx'
import { NotFound, Page, Section } from './page.tsx'

interface QueryViewProps<Data> {
  query: UseQueryResult<Data>
  /** What is loaded, within a sentence: "API keys". */
  what: string
  /** Rows of the skeleton shown while loading. */
  rows?: number
  children: (data: Accessor<NonNullable<Data>>) => JSX.Element
}

/** Shows the data of a query, or its loading, not-found or failed state. */
export function QueryView<Data>(props: QueryViewProps<Data>) {
  return (
    <Switch fallback={<RowsSkeleton rows={props.rows ?? 4} label={`Loading ${props.what}`} />}>
      <Match when={props.query.data}>{(data) => props.children(data)}</Match>
      <Match when={isNotFound(props.query.error)}>
        <NotFound text="Check the URL. It may also have been deleted." />
      </Match>
      <Match when={props.query.isLoadingError}>
        <FailedQuery title={`Couldn't load ${props.what}`} query={props.query} />
      </Match>
    </Switch>
  )
}

type EmptyProps = ComponentProps<typeof EmptyState>

interface ListPageProps<Item> {
  title: string
  lead: JSX.Element
  query: UseQueryResult<{ data: Item[] }>
  /** What is loaded, within a sentence: "webhook endpoints". */
  what: string
  /** The name of the list for screen readers. */
  label?: string
  add?: Addition
  /** Another button before it. */
  actions?: JSX.Element
  /** Its action is the button that adds one, unless it has another or `false`. */
  empty: EmptyProps
  row: (item: Item) => JSX.Element
  /** Those that no longer work. They have a section of their own. */
  ended?: { has: (item: Item) => boolean; title: string; text?: string; label?: string }
  /** Below the list. */
  children?: JSX.Element
}

/** The page of a list. */
export function ListPage<Item>(props: ListPageProps<Item>) {
  const [isAdding, setAdding] = createSignal(false)
  const addButton = () => props.add && <AddButton add={props.add} onOpen={() => setAdding(true)} />
  const isEnded = (item: Item) => props.ended?.has(item) ?? false
  return (
    <Page
      title={props.title}
      lead={props.lead}
      actions={
        <>
          {props.actions}
          {addButton()}
        </>
      }
    >
      <QueryView query={props.query} what={props.what} rows={3}>
        {(list) => (
          <>
            <Show
              when={!list().data.every(isEnded)}
              fallback={<EmptyState {...props.empty} action={props.empty.action ?? addButton()} />}
            >
              <EntryList label={props.label} items={list().data.filter((item) => !isEnded(item))}>
                {props.row}
              </EntryList>
            </Show>
            <Show when={list().data.some(isEnded) && props.ended}>
              {(ended) => (
                <Section title={ended().title} text={ended().text}>
                  <EntryList label={ended().label} items={list().data.filter(isEnded)}>
                    {props.row}
                  </EntryList>
                </Section>
              )}
            </Show>
          </>
        )}
      </QueryView>
      {props.children}
      <Show when={isAdding()}>{props.add?.dialog?.(() => setAdding(false))}</Show>
    </Page>
  )
}

/** The button that adds an item, at the top of the page and in the empty list. */
interface Addition {
  text: string
  /** A plus by default. */
  icon?: JSX.Element
  /** The page it leads to, or the dialog it opens. */
  href?: string
  dialog?: (close: () => void) => JSX.Element
}

function AddButton(props: { add: Addition; onOpen: () => void }) {
  return (
    <Show
      when={props.add.href}
      fallback={
        <Button look="primary" icon={props.add.icon ?? <Plus />} onClick={() => props.onOpen()}>
          {props.add.text}
        </Button>
      }
    >
      {(href) => (
        <ButtonLink look="primary" icon={<Plus />} href={href()}>
          {props.add.text}
        </ButtonLink>
      )}
    </Show>
  )
}

interface LogPageProps<Row> {
  title: string
  lead: JSX.Element
  actions?: JSX.Element
  /** A `search` element. What it chose is in the URL. */
  filters: JSX.Element
  isFiltered: boolean
  query: UseInfiniteQueryResult<InfiniteData<{ data: Row[] }>>
  /** What is loaded, within a sentence: "deliveries". */
  what: string
  empty: EmptyProps
  /** In place of that while a filter is set. */
  noMatch: Omit<EmptyProps, 'icon'>
  children: (rows: Accessor<Row[]>) => JSX.Element
}

/** The page of a log that is loaded page by page, newest first. */
export function LogPage<Row>(props: LogPageProps<Row>) {
  const rows = () => props.query.data?.pages.flatMap(({ data }) => data)
  return (
    <Page title={props.title} lead={props.lead} actions={props.actions}>
      {props.filters}
      <Show
        when={!props.query.isLoadingError}
        fallback={<FailedQuery title={`Couldn't load ${props.what}`} query={props.query} />}
      >
        <Show when={rows()} fallback={<RowsSkeleton rows={8} label={`Loading ${props.what}`} />}>
          {(loaded) => (
            <>
              <Show
                when={loaded().length > 0}
                fallback={
                  <EmptyState
                    {...(props.isFiltered ? { icon: <FunnelX />, ...props.noMatch } : props.empty)}
                  />
                }
              >
                {props.children(loaded)}
              </Show>
              <Show when={props.query.hasNextPage}>
                <Button
                  class="query-view-more"
                  isBusy={props.query.isFetchingNextPage}
                  onClick={() => void props.query.fetchNextPage()}
                >
                  Show more
                </Button>
              </Show>
            </>
          )}
        </Show>
      </Show>
    </Page>
  )
}

/** Gray rows in place of a list. They appear after 150 ms. */
function RowsSkeleton(props: { rows: number; label: string }) {
  return (
    <div class="entry-list panel is-late" role="status" aria-label={props.label}>
      <For each={Array.from({ length: props.rows })}>
        {() => (
          <div class="entry query-view-waiting">
            <span />
            <span />
          </div>
        )}
      </For>
    </div>
  )
}
