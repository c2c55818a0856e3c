import { type Accessor, createEffect, on, onCleanup } from 'solid-js'
import { queries } from '../../api/queries.ts'
import { isTypedElsewhere, pressOf } from '../../keyboard/key-combo.ts'
import { type KeyAction, useKeys } from '../../keyboard/keys.ts'
import { ticketQuery } from '../ticket-query.ts'
import type { DraftKind } from './stored-draft.ts'

/** Begun on a ticket that is still on its way: the letters behind `r` are text, and no commands. */
interface EarlyWriting {
  ticketId: string
  kind: DraftKind
  text: string
}

let early: EarlyWriting | undefined

/** `r` and `n` before the ticket is there. Its own keys take their place as soon as it is. */
export function useEarlyWriting(headingFor: Accessor<string | undefined>): void {
  const begin = (kind: DraftKind) => {
    const ticketId = headingFor()
    early = ticketId === undefined ? undefined : { ticketId, kind, text: '' }
  }
  const keyOf = (kind: DraftKind, key: string): KeyAction => ({
    id: `early-${kind}`,
    label: kind,
    section: 'Reply',
    keys: [key],
    run: () => begin(kind),
    isEnabled: () => isComing(headingFor()),
    isKeyOnly: true,
    isUnlisted: true,
  })
  useKeys(() => [keyOf('reply', 'r'), keyOf('note', 'n')])
  createEffect(
    on(headingFor, (id) => {
      if (early?.ticketId !== id) early = undefined
    }),
  )
  // Before the commands hear of them.
  document.addEventListener('keydown', typed, { capture: true })
  onCleanup(() => {
    document.removeEventListener('keydown', typed, { capture: true })
    early = undefined
  })
}

/** What was begun on a ticket before it was there, once. */
export function takeEarlyWriting(ticketId: string): EarlyWriting | undefined {
  if (early?.ticketId !== ticketId) return undefined
  const taken = early
  early = undefined
  return taken
}

function isComing(ticketId: string | undefined): boolean {
  if (ticketId === undefined) return false
  return queries.getQueryState(ticketQuery(ticketId).queryKey)?.status !== 'error'
}

function typed(event: KeyboardEvent): void {
  if (!early) return
  const press = pressOf(event)
  if (press === undefined || press.startsWith('mod+') || press.startsWith('alt+')) return
  if (isTypedElsewhere(event) || press === 'escape' || !isComing(early.ticketId)) {
    early = undefined
    return
  }
  const text = withKey(early.text, event.key)
  if (text === undefined) return
  event.preventDefault()
  early.text = text
}

function withKey(text: string, key: string): string | undefined {
  if (key === 'Enter') return `${text}\n`
  if (key === 'Backspace') return text.slice(0, -1)
  return key.length === 1 ? text + key : undefined
}
