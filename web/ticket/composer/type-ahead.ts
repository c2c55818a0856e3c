import { type Accessor, createEffect, on, onCleanup } from 'solid-js'
import { queries } from '../../api/queries.ts'
import { isForFieldOrDialog, keyComboOf } from '../../keyboard/key-combo.ts'
import { type KeyAction, useKeys } from '../../keyboard/keys.ts'
import type { DraftKind } from '../draft/draft-storage.ts'
import { isDeletedTicket, ticketQuery } from '../ticket-query.ts'

/** Typed before the ticket is loaded: the letters after `r` are text, not commands. */
interface TypeAhead {
  ticketId: string
  kind: DraftKind
  text: string
}

let ahead: TypeAhead | undefined

/** `r` and `n` before the ticket is loaded. Its own keys replace them then. */
export function useTypeAhead(targetTicketId: Accessor<string | undefined>): void {
  const begin = (kind: DraftKind) => {
    const ticketId = targetTicketId()
    ahead = ticketId === undefined ? undefined : { ticketId, kind, text: '' }
  }
  const keyOf = (kind: DraftKind, key: string): KeyAction => ({
    id: `type-ahead-${kind}`,
    label: kind,
    section: 'Reply',
    keys: [key],
    run: () => begin(kind),
    isEnabled: () => isLoading(targetTicketId()),
    isKeyOnly: true,
    isUnlisted: true,
  })
  useKeys(() => [keyOf('reply', 'r'), keyOf('note', 'n')])
  createEffect(
    on(targetTicketId, (id) => {
      if (ahead?.ticketId !== id) ahead = undefined
    }),
  )
  // Before the keys of the page.
  document.addEventListener('keydown', typed, { capture: true })
  onCleanup(() => {
    document.removeEventListener('keydown', typed, { capture: true })
    ahead = undefined
  })
}

/** What was typed before the ticket was loaded. Returns it once. */
export function takeTypeAhead(ticketId: string): TypeAhead | undefined {
  if (ahead?.ticketId !== ticketId) return undefined
  const taken = ahead
  ahead = undefined
  return taken
}

function isLoading(ticketId: string | undefined): boolean {
  if (ticketId === undefined || isDeletedTicket(ticketId)) return false
  return queries.getQueryState(ticketQuery(ticketId).queryKey)?.status !== 'error'
}

function typed(event: KeyboardEvent): void {
  if (!ahead) return
  const press = keyComboOf(event)
  if (press === undefined || press.startsWith('mod+') || press.startsWith('alt+')) return
  if (isForFieldOrDialog(event) || press === 'escape' || !isLoading(ahead.ticketId)) {
    ahead = undefined
    return
  }
  const text = withKey(ahead.text, event.key)
  if (text === undefined) return
  event.preventDefault()
  ahead.text = text
}

function withKey(text: string, key: string): string | undefined {
  if (key === 'Enter') return `${text}\n`
  if (key === 'Backspace') return text.slice(0, -1)
  return key.length === 1 ? text + key : undefined
}
