import { and, eq, isNull } from 'drizzle-orm'
import { bots, telegramConversations } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import type { Live } from '../../../live/live.ts'
import type { PresenceSnapshot } from '../../../live/presence.ts'
import type { Loop } from '../../../loop.ts'
import { botLane, reasonToWait } from '../../../sends/send-lanes.ts'
import { type BotApi, createBotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'

/** Telegram shows it for five seconds. */
const REPEAT_EVERY_MS = 4_500
const TIMEOUT_MS = 5_000

/** Shows customers "typing…" while an agent writes to them, if the bot is set so. Nothing depends on it: failures are ignored. */
export function startShowingTyping(deps: Deps, live: Pick<Live, 'onPresence'>): Pick<Loop, 'stop'> {
  const { clock } = deps
  const api = createBotApi({ clock, root: deps.config.telegramApi })
  /** Ends showing, by ticket. */
  const shown = new Map<string, { orgId: string; end(): void }>()

  function follow(orgId: string, { tickets }: PresenceSnapshot): void {
    const replying = new Set(
      Object.entries(tickets).flatMap(([ticketId, agents]) =>
        agents.some(({ state }) => state === 'replying') ? [ticketId] : [],
      ),
    )
    for (const [ticketId, one] of shown) {
      if (one.orgId !== orgId || replying.has(ticketId)) continue
      one.end()
      shown.delete(ticketId)
    }
    for (const ticketId of replying) if (!shown.has(ticketId)) begin(orgId, ticketId)
  }

  function begin(orgId: string, ticketId: string): void {
    const ending = new AbortController()
    let cancel = () => {}
    shown.set(ticketId, {
      orgId,
      end() {
        ending.abort()
        cancel()
      },
    })
    const show = async () => {
      const isShown = await showOnce(deps, api, { orgId, ticketId, signal: ending.signal })
      if (isShown && !ending.signal.aborted) cancel = clock.after(REPEAT_EVERY_MS, show)
    }
    void show()
  }

  const stopListening = live.onPresence(follow)
  return {
    async stop() {
      stopListening()
      for (const { end } of shown.values()) end()
      api.close()
    },
  }
}

type TypingChat = Pick<typeof bots.$inferSelect, 'id' | 'username' | 'token' | 'state' | 'showsTyping'> & {
  chatId: string
}

/** Whether to show it again. */
async function showOnce(
  deps: Deps,
  api: BotApi,
  { orgId, ticketId, signal }: { orgId: string; ticketId: string; signal: AbortSignal },
): Promise<boolean> {
  try {
    const found = await findChat(deps, { orgId, ticketId })
    if (!found?.token || !found.showsTyping || reasonToWait(botLane(found)) !== undefined) return false
    const token = deps.encryption.decrypt(found.token, found.id)
    const params = { chat_id: found.chatId, action: 'typing' as const }
    await api.call(token, 'sendChatAction', params, { signal, timeoutMs: TIMEOUT_MS })
    return true
  } catch (error) {
    if (!(error instanceof BotApiError)) deps.log.error('typing_not_shown', { ticket: ticketId, error })
    return false
  }
}

async function findChat(
  deps: Deps,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<TypingChat | undefined> {
  const [found] = await deps.database.read
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
  return found
}
