import CircleX from 'lucide-solid/icons/circle-x'
import Unplug from 'lucide-solid/icons/unplug'
import type { ComponentProps } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { createResource } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { PasswordField } from '../../forms/password-field.tsx'
import { ACCOUNT_STATES } from '../channel-account.tsx'
import type { ShownState } from '../detail-list.tsx'

export type Bot = Answer<typeof api.console.bots.get>['data'][number]
type BotChange = Parameters<ReturnType<typeof api.console.bots>['patch']>[0]

export const BOTS_PAGE = { href: '/settings/telegram', name: 'Telegram' }

export const bots = createResource({
  listKey: queryKeys.bots,
  keyOf: queryKeys.bot,
  readList: () => ask(api.console.bots.get()),
  read: (id) => ask(api.console.bots({ id }).get()),
  affected: [queryKeys.channelProblems, queryKeys.checklist],
})

export const BOT_STATES: Record<Bot['state'], ShownState> = {
  ...ACCOUNT_STATES,
  taken: { word: 'Used by another program', tone: 'amber', icon: Unplug },
  webhook: { word: 'Webhook set elsewhere', tone: 'amber', icon: Unplug },
  refused: { word: 'Token refused', tone: 'red', icon: CircleX },
}

export function saveBot(id: string, change: BotChange): Promise<Bot> {
  return ask(api.console.bots({ id }).patch(change))
}

/** Whether nothing is wrong with it. */
export function isQuiet({ state }: Bot): boolean {
  return ['active', 'connecting', 'paused'].includes(state)
}

/** "2 messages to process, 1 message to send". */
export function queueSentence({ queue: { incoming, outgoing } }: Bot): string {
  const parts = [
    incoming > 0 && `${counted(incoming, 'message')} to process`,
    outgoing > 0 && `${counted(outgoing, 'message')} to send`,
  ]
  return parts.filter(Boolean).join(', ') || 'Empty'
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** The token of a bot. Anyone who has it controls the bot, so it is hidden like a password. */
export function TokenField(props: Omit<ComponentProps<typeof PasswordField>, 'autocomplete'>) {
  return (
    <PasswordField
      {...props}
      name="bot-token"
      secret="token"
      autocomplete="new-password"
      placeholder="123456789:AAH…"
    />
  )
}
