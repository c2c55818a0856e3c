import type { WidgetState } from '../../../database/tables/widgets.ts'
import { isoTime, isoTimeOrNull } from '../../../dates.ts'
import type { IdentityResult } from '../identity.ts'
import { isOriginAllowed } from '../origins.ts'
import type { KeyedWidget } from './widgets.ts'

/** `disabled`: someone has revoked its key. */
export const SHOWN_STATES = ['active', 'paused', 'disabled'] as const
type ShownState = (typeof SHOWN_STATES)[number]

/** A widget without its secrets. `baseUrl` is the public address of this server. Times are ISO 8601 or null. */
export function viewWidget(widget: KeyedWidget, baseUrl: string) {
  const { id, name, key, origins, appearance, questions, hours, verifiedOnly, telegramBotId } = widget
  return {
    id,
    name,
    state: stateOf(widget),
    detail: detailOf(widget),
    key,
    snippet: snippetOf(baseUrl, key),
    origins,
    appearance,
    questions,
    hours,
    verifiedOnly,
    /** The bot in which visitors can continue; empty for none. */
    telegramBotId,
    /** Until when the identity secret before the present one is accepted. */
    previousSecretUntil: isoTimeOrNull(widget.previousIdentitySecretUntil),
    /** The page that loaded it last. */
    seen: seenOf(widget.seenUrl, widget.seenAt),
    /** The website that was refused last, unless it is allowed by now. */
    refused: isOriginAllowed(origins, widget.refusedOrigin)
      ? null
      : seenOf(widget.refusedOrigin, widget.refusedAt),
    createdAt: isoTime(widget.createdAt),
    updatedAt: isoTime(widget.updatedAt),
  }
}

/** Loads the widget without holding up the page. */
function snippetOf(baseUrl: string, key: string): string {
  return `<script async src="${baseUrl}/widget.js" data-key="${key}"></script>`
}

export function viewIdentityCheck(result: IdentityResult) {
  if (!result.isValid) return { isValid: false, detail: result.detail, user: null }
  const { userId, name, email, isPreviousSecret } = result
  const detail = isPreviousSecret
    ? 'Valid, but signed with the previous secret. Sign with the new one before the previous one expires.'
    : 'Valid.'
  return { isValid: true, detail, user: { id: userId, name, email } }
}

function seenOf(url: string, at: number | null) {
  return at === null ? null : { url, at: isoTime(at) }
}

function stateOf({ state, keyRevokedAt }: { state: WidgetState; keyRevokedAt: number | null }): ShownState {
  return keyRevokedAt === null ? state : 'disabled'
}

/** The state in a sentence. */
function detailOf(widget: KeyedWidget): string {
  switch (stateOf(widget)) {
    case 'active':
      return widget.seenAt === null ? 'Not seen on any website yet.' : `Last seen on ${widget.seenUrl}.`
    case 'paused':
      return 'Paused. No website shows it.'
    case 'disabled':
      return 'Its key was revoked. Create a new key and put the new snippet on your website.'
  }
}
