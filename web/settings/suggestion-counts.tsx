import { queryOptions, useQuery } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { queryKeys } from '../api/query-keys.ts'

const statisticsQuery = queryOptions({
  queryKey: queryKeys.suggestionStatistics,
  queryFn: () => ask(api.console.suggestions.statistics.get()),
})

type Counts = Answer<typeof api.console.suggestions.statistics.get>['data'][number]

/** What agents made of the replies that a program or a key suggested. Nothing if it suggested none. */
export function SuggestionCounts(props: { byId: string }) {
  const query = useQuery(() => statisticsQuery)
  const counts = () => query.data?.data.find(({ by }) => by.id === props.byId)
  return (
    <Show when={counts()}>
      {(known) => <span class="muted small">Suggestions in the last 90 days: {wordsOf(known())}</span>}
    </Show>
  )
}

/** "12 used, 3 edited". */
function wordsOf({ sent, edited, rejected, superseded, withdrawn, open }: Counts): string {
  const counted: [number, string][] = [
    [sent, 'used'],
    [edited, 'edited'],
    [rejected, 'dismissed'],
    [superseded, 'not used'],
    [withdrawn, 'withdrawn'],
    [open, 'open'],
  ]
  return counted
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count.toLocaleString('en')} ${words}`)
    .join(', ')
}
