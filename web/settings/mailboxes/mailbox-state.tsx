import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import LoaderCircle from 'lucide-solid/icons/loader-circle'
import LogIn from 'lucide-solid/icons/log-in'
import { Show } from 'solid-js'
import { DetailList } from '../detail-list.tsx'
import { LastError, timeOr } from '../last-error.tsx'
import { type ShownState, StateBadge } from '../state-badge.tsx'
import type { Mailbox } from './mailbox-data.ts'

const STATES: Record<Mailbox['state'], ShownState> = {
  active: { word: 'Connected', tone: 'green', icon: CircleCheck },
  connecting: { word: 'Connecting', tone: 'amber', icon: LoaderCircle },
  failing: { word: 'Failing', tone: 'amber', icon: CircleAlert },
  paused: { word: 'Paused', tone: 'grey', icon: CirclePause },
  refused: { word: 'Sign-in refused', tone: 'red', icon: CircleX },
}
export const PLAIN_ANSWERS =
  "Email to this address with +… before the @ doesn't arrive, so replies use the plain address. Answers are recognized by their headers."
const UNFINISHED: ShownState = { word: 'Not signed in', tone: 'amber', icon: LogIn }

/** The state of a mailbox as word, icon and color. */
export function MailboxState(props: { mailbox: Mailbox }) {
  const shown = () => (props.mailbox.isSignedIn ? STATES[props.mailbox.state] : UNFINISHED)
  return <StateBadge state={shown()} />
}

/** "1,204 on the server, all processed": mails in the folders that are read, against those that Bellhop has seen to. */
export function mailCountSentence({ health: { onServer, unaccounted } }: Mailbox): string {
  if (onServer === null) return 'Not counted yet'
  const counted = `${onServer.toLocaleString('en')} on the server`
  if (!unaccounted) return `${counted}, all processed`
  return `${counted}, ${unaccounted.toLocaleString('en')} still to process`
}

/** When mail last came and went, how much there is, and what is wrong. */
export function MailboxHealth(props: { mailbox: Mailbox }) {
  const health = () => props.mailbox.health
  return (
    <DetailList
      items={[
        { name: 'Last mail in', value: timeOr(health().lastReceivedAt, 'None yet') },
        { name: 'Last mail out', value: timeOr(health().lastSentAt, 'None yet') },
        { name: 'Emails', value: mailCountSentence(props.mailbox) },
        { name: 'Quarantine', value: <Quarantine mailbox={props.mailbox} /> },
        { name: 'Last checked', value: timeOr(health().lastCheckedAt, 'Not yet') },
        {
          name: 'Last error',
          value: (
            <LastError
              errors={[props.mailbox.health.receiveError, props.mailbox.health.sendError]}
              since={props.mailbox.health.failingSince}
            />
          ),
        },
        { name: 'Reply address', value: answersSentence(props.mailbox) },
      ]}
    />
  )
}

/** How answers find their ticket. */
function answersSentence({ address, hasSubaddresses }: Mailbox): string {
  if (hasSubaddresses === false) return PLAIN_ANSWERS
  const shown = address.replace(/@/, '+…@')
  return hasSubaddresses
    ? `Customers answer replies at ${shown}, which arrives here.`
    : `Customers answer replies at ${shown}. Test the connection to check that this arrives.`
}

function Quarantine(props: { mailbox: Mailbox }) {
  const count = () => props.mailbox.health.quarantined
  return (
    <Show when={count() > 0} fallback="Empty">
      <a href={`/settings/mails?mailbox=${props.mailbox.id}&outcome=quarantined`}>
        {count() === 1 ? '1 email' : `${count()} emails`}
      </a>
    </Show>
  )
}
