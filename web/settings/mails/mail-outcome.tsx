import Bot from 'lucide-solid/icons/bot'
import Clock from 'lucide-solid/icons/clock'
import Copy from 'lucide-solid/icons/copy'
import MessageSquareText from 'lucide-solid/icons/message-square-text'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Undo2 from 'lucide-solid/icons/undo-2'
import UserRound from 'lucide-solid/icons/user-round'
import { type ShownState, StateBadge } from '../detail-list.tsx'
import type { MailOutcome } from './mail-data.ts'

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

/** What happened to a mail, as word, icon and color. */
export function MailOutcomeBadge(props: { outcome: MailOutcome }) {
  return <StateBadge state={MAIL_OUTCOMES[props.outcome]} />
}
