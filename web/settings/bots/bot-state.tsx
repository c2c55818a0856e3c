import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import LoaderCircle from 'lucide-solid/icons/loader-circle'
import Unplug from 'lucide-solid/icons/unplug'
import { DetailList } from '../detail-list.tsx'
import { LastError, timeOr } from '../last-error.tsx'
import { type ShownState, StateBadge } from '../state-badge.tsx'
import type { Bot } from './bot-data.ts'

const STATES: Record<Bot['state'], ShownState> = {
  active: { word: 'Connected', tone: 'green', icon: CircleCheck },
  connecting: { word: 'Connecting', tone: 'amber', icon: LoaderCircle },
  failing: { word: 'Failing', tone: 'amber', icon: CircleAlert },
  taken: { word: 'Used by another program', tone: 'amber', icon: Unplug },
  webhook: { word: 'Webhook set elsewhere', tone: 'amber', icon: Unplug },
  paused: { word: 'Paused', tone: 'grey', icon: CirclePause },
  refused: { word: 'Token refused', tone: 'red', icon: CircleX },
}

/** The state of a bot as word, icon and color. */
export function BotState(props: { bot: Bot }) {
  const shown = () => STATES[props.bot.state]
  return <StateBadge state={shown()} />
}

/** When messages last came and went, how many wait, and what is wrong. */
export function BotHealth(props: { bot: Bot }) {
  return (
    <DetailList
      items={[
        { name: 'Receives by', value: props.bot.receives === 'webhook' ? 'Webhook' : 'Long polling' },
        { name: 'Last message in', value: timeOr(props.bot.lastUpdateAt, 'None yet') },
        { name: 'Last message out', value: timeOr(props.bot.lastSentAt, 'None yet') },
        { name: 'Queue', value: queueSentence(props.bot) },
        { name: 'Last checked', value: timeOr(props.bot.lastCheckedAt, 'Not yet') },
        {
          name: 'Last error',
          value: (
            <LastError
              errors={[props.bot.receiveError, props.bot.sendError]}
              since={props.bot.receiveFailingSince ?? props.bot.sendFailingSince}
            />
          ),
        },
        { name: 'Unknown updates', value: unknownSentence(props.bot) },
      ]}
    />
  )
}

/** "2 messages to process, 1 to send". */
export function queueSentence({ queue: { incoming, outgoing } }: Bot): string {
  if (incoming + outgoing === 0) return 'Empty'
  return [
    incoming > 0 && `${counted(incoming, 'message')} to process`,
    outgoing > 0 && `${counted(outgoing, 'message')} to send`,
  ]
    .filter(Boolean)
    .join(', ')
}

function unknownSentence({ unknownUpdates }: Bot): string {
  if (unknownUpdates === 0) return 'None'
  const are = unknownUpdates === 1 ? 'It is' : 'They are'
  return `${counted(unknownUpdates, 'update')} that Bellhop doesn't know or couldn't read. ${are} kept for 30 days.`
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
