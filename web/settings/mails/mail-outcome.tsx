import Bot from 'lucide-solid/icons/bot'
import Clock from 'lucide-solid/icons/clock'
import Copy from 'lucide-solid/icons/copy'
import MessageSquareText from 'lucide-solid/icons/message-square-text'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Undo2 from 'lucide-solid/icons/undo-2'
import UserRound from 'lucide-solid/icons/user-round'
import type { Component } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../../ui/badge.tsx'
import type { MailOutcome } from './mail-data.ts'

interface Shown {
  word: string
  /** What happened to the mail, one sentence. */
  sentence: string
  tone: Tone
  icon: Component<{ size?: number }>
}

export const OUTCOME_WORDS: Record<MailOutcome, Shown> = {
  message: {
    word: 'Message',
    sentence: 'It became a message in a ticket.',
    tone: 'green',
    icon: MessageSquareText,
  },
  automatic: {
    word: 'Automatic',
    sentence: "Sent by a program, such as a vacation notice. It is in a ticket, but doesn't reopen one.",
    tone: 'grey',
    icon: Bot,
  },
  bounce: {
    word: 'Bounce',
    sentence: "It reports that a reply wasn't delivered. The reply shows it.",
    tone: 'grey',
    icon: Undo2,
  },
  duplicate: {
    word: 'Duplicate',
    sentence: 'The same email arrived before. Only the first one is in a ticket.',
    tone: 'grey',
    icon: Copy,
  },
  own: {
    word: 'Sent by us',
    sentence: 'Bellhop sent it, such as a copy of a reply.',
    tone: 'grey',
    icon: UserRound,
  },
  pending: { word: 'Processing', sentence: 'Bellhop is reading it.', tone: 'amber', icon: Clock },
  quarantined: {
    word: 'Quarantine',
    sentence: "Bellhop couldn't turn it into a message.",
    tone: 'red',
    icon: ShieldAlert,
  },
}

/** What happened to a mail, as word, icon and color. */
export function MailOutcomeBadge(props: { outcome: MailOutcome }) {
  const shown = () => OUTCOME_WORDS[props.outcome]
  return (
    <Badge tone={shown().tone} title={shown().sentence}>
      <Dynamic component={shown().icon} size={12} />
      {shown().word}
    </Badge>
  )
}
