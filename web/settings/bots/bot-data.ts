import { queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'

export type Bot = Answer<typeof api.console.bots.get>['data'][number]
type BotRoute = ReturnType<typeof api.console.bots>
export type BotChange = Parameters<BotRoute['patch']>[0]

export const botsQuery = queryOptions({
  queryKey: queryKeys.bots,
  queryFn: () => ask(api.console.bots.get()),
})

export const botQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.bot(id),
    queryFn: () => ask(api.console.bots({ id }).get()),
  })

/** Shows a changed bot at once, everywhere on the page. */
export function showBot(bot: Bot): void {
  showSaved(['bot', bot.id], bot)
  botsChanged()
}

export function botsChanged(): void {
  for (const queryKey of [queryKeys.bots, queryKeys.channelProblems, queryKeys.checklist]) {
    void queries.invalidateQueries({ queryKey })
  }
}

export function saveBot(id: string, change: BotChange): Promise<Bot> {
  return ask(api.console.bots({ id }).patch(change))
}
