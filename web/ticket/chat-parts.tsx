import { lazyDialog, lazyPart } from '../live/lazy-page.tsx'
import { MessageText } from './thread/message-text.tsx'

// What only conversations of the website widget or in Telegram need: loaded with the first of them.

const load = async () => (await import('./chats.tsx')).Chats

const Section = lazyPart(async () => (await load()).ChatSection)
const Destination = lazyPart(async () => (await load()).ChatDestination)
const Typing = lazyPart(async () => (await load()).VisitorTyping)
const BlockItem = lazyPart(async () => (await load()).BlockItem)
const BlockDialog = lazyDialog(async () => ({ default: (await load()).BlockDialog }))
const TelegramMessage = lazyPart(
  async () => (await load()).TelegramMessage,
  ({ message }) => <MessageText text={message.text} format={message.format} />,
)

export const ChatParts = { Section, Destination, Typing, BlockItem, BlockDialog, TelegramMessage }
