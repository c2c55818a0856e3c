import { Show } from 'solid-js'
import { lazyPart } from '../../live/lazy-page.tsx'
import { MessageText } from './message-text.tsx'
import { loadQuoteCutter } from './quotes.ts'

// What not every thread has, and what opens on a click: loaded soon after the first view of the inbox, or with the first
// ticket. Without a connection, a message is still shown as its text.

const Recipients = lazyPart(async () => (await import('../mail/message-recipients.tsx')).MessageRecipients)
const Body = lazyPart(
  async () => (await import('../mail/mail-body.tsx')).MailBody,
  ({ message }) => <MessageText text={message.text} format={message.format} />,
)
const Menu = lazyPart(async () => (await import('../mail/message-menu.tsx')).MessageMenu)
const FailedSend = lazyPart(async () => (await import('../mail/failed-send.tsx')).FailedSend)
const TicketMenu = lazyPart(async () => (await import('../header/ticket-menu.tsx')).TicketMenu)
const Followers = lazyPart(async () => (await import('../header/followers.tsx')).Followers)
const loadProblem = () => import('../composer/reply-problem.tsx')
const ReplyProblem = lazyPart(async () => (await loadProblem()).ReplyProblem)
const ReplyElsewhere = lazyPart(async () => (await loadProblem()).ReplyElsewhere)
const OtherDraft = lazyPart(async () => (await import('../composer/other-draft.tsx')).OtherDraft)
const SettingsLink = lazyPart(async () => (await loadProblem()).SettingsLink)
const SnoozeLine = lazyPart(async () => (await import('../header/snooze-line.tsx')).SnoozeLine)
const Activity = lazyPart(async () => (await import('./activity-lines.tsx')).ActivityLines)
const WaitingReply = lazyPart(
  async () => (await import('./waiting-reply-card.tsx')).WaitingReplyCard,
  ({ reply }) => <MessageText text={reply.text} format={reply.format} />,
)
const SendingMessage = lazyPart(
  async () => (await import('./sending-message-card.tsx')).SendingMessageCard,
  (props) => (
    <Show when={props.draft.state().sending}>
      {(sending) => <MessageText text={sending().text} format="markdown" />}
    </Show>
  ),
)

export const ThreadParts = {
  Recipients,
  Body,
  Menu,
  FailedSend,
  TicketMenu,
  Followers,
  SnoozeLine,
  ReplyProblem,
  ReplyElsewhere,
  SettingsLink,
  OtherDraft,
  Activity,
  WaitingReply,
  SendingMessage,
}

/** Loads them before they are needed. */
export function preloadThreadParts(): void {
  for (const part of Object.values(ThreadParts)) void part.preload()
  void loadQuoteCutter()
}
