import { useNavigate } from '@solidjs/router'
import AlarmClock from 'lucide-solid/icons/alarm-clock'
import ArrowRight from 'lucide-solid/icons/arrow-right'
import CheckCheck from 'lucide-solid/icons/check-check'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleUserRound from 'lucide-solid/icons/circle-user-round'
import Clock from 'lucide-solid/icons/clock'
import Eye from 'lucide-solid/icons/eye'
import Funnel from 'lucide-solid/icons/funnel'
import Inbox from 'lucide-solid/icons/inbox'
import Keyboard from 'lucide-solid/icons/keyboard'
import Layers from 'lucide-solid/icons/layers'
import LogOut from 'lucide-solid/icons/log-out'
import Reply from 'lucide-solid/icons/reply'
import Search from 'lucide-solid/icons/search'
import Settings from 'lucide-solid/icons/settings'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import SquarePen from 'lucide-solid/icons/square-pen'
import StickyNote from 'lucide-solid/icons/sticky-note'
import Tag from 'lucide-solid/icons/tag'
import TextQuote from 'lucide-solid/icons/text-quote'
import Undo from 'lucide-solid/icons/undo-2'
import UserRound from 'lucide-solid/icons/user-round'
import UserRoundCheck from 'lucide-solid/icons/user-round-check'
import Zap from 'lucide-solid/icons/zap'
import {
  type Accessor,
  type Component,
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  onCleanup,
} from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { fold } from '../../../server/search/fold.ts'
import { quoted } from '../../../server/search/query-language.ts'
import { api, ask } from '../../api/api.ts'
import { observe, zone } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { type SessionData, useSession } from '../../api/session.ts'
import { type SavedReply, useAgents, useSavedReplies, useTags } from '../../api/workspace.ts'
import { isActionEnabled, type KeyAction, knownActions } from '../../keyboard/keys.ts'
import type { Actions } from '../../ticket/changes/actions.ts'
import { applySavedReply } from '../../ticket/composer/apply-saved-reply.ts'
import { filledReply } from '../../ticket/composer/saved-reply-picker.tsx'
import { draftOf } from '../../ticket/draft/drafts.ts'
import { knownTicket } from '../../ticket/ticket-query.ts'
import { type Row, useSavedViews } from '../inbox-data.ts'
import { ChannelIcon } from '../list/ticket-row.tsx'
import { BUILT_IN_VIEWS, hrefOf, SEARCH, tagView, VIEW_LETTERS } from '../rail/views.ts'

export interface Entry {
  group: string
  label: string
  detail?: string
  keys?: string
  icon?: () => JSX.Element
  /** A ticket that was found, with its time, status and matching text. */
  ticket?: Row
  /** Words to highlight in the matching text. */
  terms?: readonly string[]
  run: () => void
}

interface EntriesInput {
  /** The open ticket. */
  ticketId?: string | undefined
  target?: string | undefined
  isSelection?: boolean
}

const PAUSE_MS = 120
const MAX_TICKETS = 6
const MAX_CUSTOMERS = 4
const MAX_PER_GROUP = 6
/** Shorter queries match nearly everything. */
const MIN_LETTERS = 2

/** Moving through the list by the command menu makes no sense. */
const EXCLUDED_SECTIONS: readonly KeyAction['section'][] = ['Move', 'Select']
const ORDER: readonly KeyAction['section'][] = ['Reply', 'Ticket', 'Everywhere', 'Go to']
const ACTIONS = 'Actions'

/** The entries for what was typed: the best matches of each group, and tickets found by the server. */
export function createEntries(typed: Accessor<string>, input: EntriesInput): Accessor<Entry[]> {
  const navigate = useNavigate()
  const openView = (id: string) => navigate(hrefOf(id), { scroll: false })
  const views = useSavedViews()
  const tags = useTags()
  const agents = useAgents()
  const replies = useSavedReplies()
  const session = useSession()
  const query = createQuery(typed)
  const tickets = createTicketEntries(query, (id) => navigate(hrefOf('open', { ticketId: id })))
  const customers = createCustomerEntries(query, (id) => navigate(`/customers/${id}`))
  const toSearch = (q: string) => navigate(hrefOf(SEARCH, { q }))

  /** Ticket actions are listed below the name of the ticket they change; actions of the open ticket never apply to a selection. */
  function groupOf({ section, id, isFirst }: KeyAction): string {
    const isForTarget =
      (section === 'Ticket' || section === 'Reply') && id !== 'undo' && (!input.isSelection || isFirst)
    return isForTarget ? (input.target ?? ACTIONS) : ACTIONS
  }

  const actionEntries = createMemo(() =>
    knownActions()
      .filter((action) => !action.isKeyOnly && !EXCLUDED_SECTIONS.includes(action.section))
      .filter(isActionEnabled)
      .toSorted((a, b) => ORDER.indexOf(a.section) - ORDER.indexOf(b.section))
      .map(
        (action): Entry => ({
          group: groupOf(action),
          label: action.label,
          keys: action.keys.join(' '),
          icon: () => <Dynamic component={actionIcon(action)} />,
          run: action.run,
        }),
      )
      // The sort is stable: the ticket's own actions first.
      .toSorted((a, b) => Number(a.group === ACTIONS) - Number(b.group === ACTIONS)),
  )
  const viewEntries = createMemo(() => [
    ...BUILT_IN_VIEWS.map(
      ({ id, name }): Entry => ({
        group: 'Views',
        label: name,
        keys: `g ${VIEW_LETTERS[id]}`,
        icon: () => <Layers />,
        run: () => openView(id),
      }),
    ),
    ...views().map(
      ({ id, name }): Entry => ({
        group: 'Views',
        label: name,
        icon: () => <Funnel />,
        run: () => openView(id),
      }),
    ),
    ...tags().map(
      ({ tag }): Entry => ({
        group: 'Views',
        label: tag,
        detail: 'tag',
        icon: () => <Tag />,
        run: () => openView(tagView(tag).id),
      }),
    ),
  ])
  const agentEntries = createMemo(() =>
    agents().map(
      ({ name, email }): Entry => ({
        group: 'People',
        label: name,
        detail: email,
        icon: () => <UserRound />,
        run: () => toSearch(`assigned:${quoted(name)} `),
      }),
    ),
  )
  const replyEntries = createMemo(() =>
    replies().map(
      (reply): Entry => ({
        group: 'Saved replies',
        label: reply.name,
        detail: input.ticketId ? (reply.text ? 'insert' : 'apply') : 'view',
        icon: () => <TextQuote />,
        run: () =>
          insertReply(input.ticketId, reply, session()) || navigate(`/settings/saved-replies/${reply.id}`),
      }),
    ),
  )

  return createMemo(() => {
    const text = typed()
    if (!text) return [...actionEntries(), ...viewEntries().slice(0, BUILT_IN_VIEWS.length)]
    const [targetActions, otherActions] = partition(actionEntries(), ({ group }) => group !== ACTIONS)
    const groups = [targetActions, otherActions, viewEntries(), agentEntries(), replyEntries()].map((group) =>
      bestMatches(group, text),
    )
    const ranked = groups.filter(({ entries }) => entries.length > 0).toSorted((a, b) => b.score - a.score)
    const search: Entry = {
      group: 'Search',
      label: `Search for “${text}”`,
      keys: '/',
      icon: () => <Search />,
      run: () => toSearch(text),
    }
    return [...ranked.flatMap(({ entries }) => entries), ...customers(), ...tickets(), search]
  })
}

/** What was typed, after a pause. Empty while it is too short for a search on the server. */
function createQuery(typed: Accessor<string>): Accessor<string> {
  const [query, setQuery] = createSignal('')
  createEffect(() => {
    const text = typed()
    const timer = setTimeout(() => setQuery(text), PAUSE_MS)
    onCleanup(() => clearTimeout(timer))
  })
  return () => (typed().length < MIN_LETTERS || query().length < MIN_LETTERS ? '' : query())
}

/** The tickets found by the server. The last results stay until there are new ones. */
function createTicketEntries(query: Accessor<string>, open: (id: string) => void): Accessor<Entry[]> {
  const found = observe(() => ({
    queryKey: queryKeys.palette(query()),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask(
        api.console.tickets.get({ query: { q: query(), limit: MAX_TICKETS, ...zone() }, fetch: { signal } }),
      ),
    enabled: query() !== '',
    staleTime: 0,
  }))
  return createMemo(() => {
    const rows = query() === '' ? undefined : found().data?.data
    return (rows ?? []).map(
      (row): Entry => ({
        group: 'Tickets',
        label: row.subject || 'No subject',
        icon: () => <ChannelIcon channel={row.channel} />,
        ticket: row,
        terms: found().data?.terms ?? [],
        run: () => open(row.id),
      }),
    )
  })
}

/** The customers found by the server, by name, address, company or phone number. */
function createCustomerEntries(query: Accessor<string>, open: (id: string) => void): Accessor<Entry[]> {
  const found = observe(() => ({
    queryKey: queryKeys.paletteCustomers(query()),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask(api.console.customers.get({ query: { q: query(), limit: MAX_CUSTOMERS }, fetch: { signal } })),
    enabled: query() !== '',
    staleTime: 0,
  }))
  return createMemo(() => {
    const rows = query() === '' ? undefined : found().data?.data
    return (rows ?? []).map(
      ({ id, name, emails: [email = ''] }): Entry => ({
        group: 'Customers',
        label: name || email || 'Unknown customer',
        ...(name && email && { detail: email }),
        icon: () => <CircleUserRound />,
        run: () => open(id),
      }),
    )
  })
}

function partition(entries: readonly Entry[], isFirst: (entry: Entry) => boolean): [Entry[], Entry[]] {
  return [entries.filter(isFirst), entries.filter((entry) => !isFirst(entry))]
}

function bestMatches(entries: readonly Entry[], text: string): { entries: Entry[]; score: number } {
  const scored = entries.flatMap((entry) => {
    const score = fuzzyScore(entry.label, text)
    return score === undefined ? [] : [{ entry, score }]
  })
  scored.sort((a, b) => b.score - a.score)
  return { entries: scored.slice(0, MAX_PER_GROUP).map(({ entry }) => entry), score: scored[0]?.score ?? 0 }
}

/** Appends a saved reply to the draft of the open ticket. False when no ticket is open. */
function insertReply(ticketId: string | undefined, saved: SavedReply, session: SessionData): boolean {
  const detail = ticketId === undefined ? undefined : knownTicket(ticketId)
  if (ticketId === undefined || !detail) return false
  const draft = draftOf(session.agent.id, ticketId, 'reply')
  const actions = { now: draft.state().actions, change: (next: Actions) => draft.changeActions(next) }
  void applySavedReply(saved, { ticketId, attach: (file) => draft.attach(file), actions })
  if (saved.text.trim() === '') return true
  const before = draft.state().text.trimEnd()
  const reply = filledReply(saved.text, detail.ticket, session)
  const both = before ? `${before}\n\n${reply}` : reply
  draft.write(both)
  knownActions()
    .find(({ id }) => id === 'ticket.reply')
    ?.run()
  return true
}

const OF_ACTIONS: Record<string, Component> = {
  'new-ticket': SquarePen,
  'ticket.reply': Reply,
  'ticket.note': StickyNote,
  'ticket.pending': Clock,
  'ticket.assign': UserRound,
  'ticket.assign-me': UserRoundCheck,
  'ticket.resolve-next': CheckCheck,
  'ticket.tag': Tag,
  'ticket.follow': Eye,
  snooze: AlarmClock,
  wake: AlarmClock,
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
function actionIcon({ id, section }: Pick<KeyAction, 'id' | 'section'>): Component {
  return OF_ACTIONS[id] ?? OF_SECTIONS[section] ?? Zap
}

const WORD_START = 8
const CONSECUTIVE = 5
const EXACT_START = 12
/** Skipped letters lower the score a little, so that short names win. */
const SKIPPED_LETTER = 0.1

/** Scores how well the letters of `typed` match a text in order. Undefined when they don't. */
function fuzzyScore(text: string, typed: string): number | undefined {
  const letters = fold(text)
  const query = fold(typed).replaceAll(' ', '')
  if (letters.startsWith(fold(typed)))
    return EXACT_START + query.length * WORD_START - letters.length * SKIPPED_LETTER
  let score = 0
  let at = -1
  for (const letter of query) {
    const next = nextMatch(letters, letter, at)
    if (next < 0) return undefined
    score += 1 + (next === at + 1 ? CONSECUTIVE : 0) + (isWordStart(letters, next) ? WORD_START : 0)
    at = next
  }
  return score - letters.length * SKIPPED_LETTER
}

/** The next letter, or else the next one that starts a word, or else any later one. */
function nextMatch(letters: string, letter: string, at: number): number {
  if (letters[at + 1] === letter) return at + 1
  const next = letters.indexOf(letter, at + 1)
  for (let index = next; index >= 0; index = letters.indexOf(letter, index + 1)) {
    if (isWordStart(letters, index)) return index
  }
  return next
}

function isWordStart(letters: string, index: number): boolean {
  return index === 0 || !/[\p{L}\p{N}]/u.test(letters[index - 1] ?? ' ')
}
