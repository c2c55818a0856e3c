import { and, eq, isNull } from 'drizzle-orm'
import { bots, telegramConversations } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import type { Live } from '../../../live/live.ts'
import type { Loop } from '../../../loop.ts'
import { type BotApi, createBotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'
import { reasonToWait } from './telegram-way.ts'

/** Telegram shows it for five seconds. Pages announce it every four. */
const SHOWN_MS = 3_500
const TIMEOUT_MS = 5_000

/** Shows customers "typing…" while an agent types a reply, if the bot is set so. Nothing depends on it: failures are ignored. */
export function startShowingTyping(deps: Deps, live: Pick<Live, 'onTyping'>): Pick<Loop, 'stop'> {
  const { clock } = deps
  const api = createBotApi({ clock, root: deps.config.telegramApi })
  const stopping = new AbortController()
  /** By ticket (monotonic clock). */
  const shownAt = new Map<string, number>()

  const stopListening = live.onTyping((orgId, ticketId) => {
    const now = clock.monotonic()
    for (const [shown, at] of shownAt) if (now - at >= SHOWN_MS) shownAt.delete(shown)
    if (shownAt.has(ticketId)) return
    shownAt.set(ticketId, now)
    void show(deps, api, { orgId, ticketId, signal: stopping.signal })
  })
  return {
    async stop() {
      stopListening()
      stopping.abort()
      api.close()
    },
  }
}

async function show(
  deps: Deps,
  api: BotApi,
  { orgId, ticketId, signal }: { orgId: string; ticketId: string; signal: AbortSignal },
): Promise<void> {
  try {
    const chat = await findChat(deps, { orgId, ticketId })
    if (!chat?.token || !chat.showsTyping || reasonToWait(chat) !== undefined) return
    const token = deps.encryption.decrypt(chat.token, chat.id)
    const params = { chat_id: chat.chatId, action: 'typing' as const }
    await api.call(token, 'sendChatAction', params, { signal, timeoutMs: TIMEOUT_MS })
  } catch (error) {
    if (!(error instanceof BotApiError)) deps.log.error('typing_not_shown', { ticket: ticketId, error })
  }
}

async function findChat(deps: Deps, { orgId, ticketId }: { orgId: string; ticketId: string }) {
  const [chat] = await deps.database.read
    .select({
      id: bots.id,
      token: bots.token,
      username: bots.username,
      state: bots.state,
      showsTyping: bots.showsTyping,
      chatId: telegramConversations.chatId,
    })
    .from(telegramConversations)
    .innerJoin(bots, eq(bots.id, telegramConversations.botId))
    .where(
      and(
        eq(telegramConversations.orgId, orgId),
        eq(telegramConversations.ticketId, ticketId),
        isNull(bots.deletedAt),
      ),
    )
  return chat
}
