import ArrowRight from 'lucide-solid/icons/arrow-right'
import CheckCheck from 'lucide-solid/icons/check-check'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleUserRound from 'lucide-solid/icons/circle-user-round'
import Clock from 'lucide-solid/icons/clock'
import Inbox from 'lucide-solid/icons/inbox'
import Keyboard from 'lucide-solid/icons/keyboard'
import LogOut from 'lucide-solid/icons/log-out'
import Reply from 'lucide-solid/icons/reply'
import Settings from 'lucide-solid/icons/settings'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import SquarePen from 'lucide-solid/icons/square-pen'
import StickyNote from 'lucide-solid/icons/sticky-note'
import Tag from 'lucide-solid/icons/tag'
import Undo from 'lucide-solid/icons/undo-2'
import UserRound from 'lucide-solid/icons/user-round'
import UserRoundCheck from 'lucide-solid/icons/user-round-check'
import Zap from 'lucide-solid/icons/zap'
import type { Component } from 'solid-js'
import type { KeyAction } from '../../keyboard/keys.ts'

const OF_ACTIONS: Record<string, Component> = {
  'new-ticket': SquarePen,
  'ticket.reply': Reply,
  'ticket.note': StickyNote,
  'ticket.pending': Clock,
  'ticket.assign': UserRound,
  'ticket.assign-me': UserRoundCheck,
  'ticket.resolve-next': CheckCheck,
  'ticket.tag': Tag,
  reopen: Inbox,
  spam: ShieldAlert,
  undo: Undo,
  keys: Keyboard,
  account: CircleUserRound,
  settings: Settings,
  'sign-out': LogOut,
}
const OF_SECTIONS: Partial<Record<KeyAction['section'], Component>> = {
  Reply: Reply,
  Ticket: CircleCheck,
  'Go to': ArrowRight,
}

/** The icon of an action in the command menu: its own, or that of its section. */
export function actionIcon({ id, section }: Pick<KeyAction, 'id' | 'section'>): Component {
  return OF_ACTIONS[id] ?? OF_SECTIONS[section] ?? Zap
}
