import { useQuery } from '@tanstack/solid-query'
import { For, Show } from 'solid-js'
import { FilterSelect } from '../filter-select.tsx'
import { mailboxesQuery } from '../mailboxes/mailbox-data.ts'
import { type MailFilter, type MailOutcome, OUTCOMES } from './mail-data.ts'
import './mail-filters.css'
import { OUTCOME_WORDS } from './mail-outcome.tsx'

interface MailFiltersProps {
  filter: MailFilter
  /** Mails by outcome; undefined while they load. */
  counts: Record<string, number> | undefined
  /** Parameters of the URL. Null removes one. */
  onChange: (change: { mailbox?: string | null; outcome?: string | null }) => void
}

/** The outcomes with their counts, and the mailbox if there are several. */
export function MailFilters(props: MailFiltersProps) {
  const total = () => Object.values(props.counts ?? {}).reduce((sum, count) => sum + count, 0)
  return (
    <search class="mail-filters" aria-label="Filter received mail">
      <div class="mail-filters-outcomes">
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
                label={OUTCOME_WORDS[outcome].word}
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
      class="mail-filters-chip"
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
  const query = useQuery(() => mailboxesQuery)
  const options = () => {
    const listed = (query.data?.data ?? []).map(({ id, address }) => ({ value: id, label: address }))
    // A removed mailbox is not in the list, but its mails are.
    const isMissing = props.value && query.data && !listed.some(({ value }) => value === props.value)
    return isMissing ? [...listed, { value: props.value ?? '', label: 'Removed mailbox' }] : listed
  }
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
