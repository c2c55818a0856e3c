import { useNavigate } from '@solidjs/router'
import Funnel from 'lucide-solid/icons/funnel'
import Layers from 'lucide-solid/icons/layers'
import Search from 'lucide-solid/icons/search'
import Tag from 'lucide-solid/icons/tag'
import TextQuote from 'lucide-solid/icons/text-quote'
import UserRound from 'lucide-solid/icons/user-round'
import { type Accessor, createEffect, createMemo, createSignal, type JSX, onCleanup } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { quoted } from '../../../server/search/query-language.ts'
import { api, ask } from '../../api/api.ts'
import { observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { type SessionData, useSession } from '../../api/session.ts'
import { useAgents, useSavedReplies, useTags } from '../../api/workspace.ts'
import { zone } from '../../browser/time-zone.ts'
import { isActionEnabled, type KeyAction, knownActions } from '../../keyboard/keys.ts'
import { filledReply } from '../../ticket/composer/filled-reply.ts'
import { draftOf } from '../../ticket/draft/drafts.ts'
import { knownTicket } from '../../ticket/ticket-query.ts'
import { type Row, useSavedViews } from '../inbox-data.ts'
import { ChannelIcon } from '../list/ticket-row.tsx'
import { BUILT_IN_VIEWS, hrefOf, SEARCH, tagView, VIEW_LETTERS } from '../rail/views.ts'
import { actionIcon } from './action-icons.ts'
import { fuzzyScore } from './fuzzy.ts'

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
  const tickets = createTicketEntries(typed, (id) => navigate(hrefOf('open', { ticketId: id })))
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
      ({ id, name, text }): Entry => ({
        group: 'Saved replies',
        label: name,
        detail: input.ticketId ? 'insert' : 'view',
        icon: () => <TextQuote />,
        run: () => insertReply(input.ticketId, text, session()) || navigate(`/settings/saved-replies/${id}`),
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
    return [...ranked.flatMap(({ entries }) => entries), ...tickets(), search]
  })
}

/** The tickets found by the server. The last results stay until there are new ones. */
function createTicketEntries(typed: Accessor<string>, open: (id: string) => void): Accessor<Entry[]> {
  const [query, setQuery] = createSignal('')
  createEffect(() => {
    const text = typed()
    const timer = setTimeout(() => setQuery(text), PAUSE_MS)
    onCleanup(() => clearTimeout(timer))
  })
  const found = observe(() => ({
    queryKey: queryKeys.palette(query()),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask(
        api.console.tickets.get({ query: { q: query(), limit: MAX_TICKETS, ...zone() }, fetch: { signal } }),
      ),
    enabled: query().length >= MIN_LETTERS,
    staleTime: 0,
  }))
  return createMemo(() => {
    const rows = typed().length >= MIN_LETTERS ? found().data?.data : undefined
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
function insertReply(ticketId: string | undefined, text: string, session: SessionData): boolean {
  const detail = ticketId === undefined ? undefined : knownTicket(ticketId)
  if (ticketId === undefined || !detail) return false
  const draft = draftOf(session.agent.id, ticketId, 'reply')
  const before = draft.state().text.trimEnd()
  const reply = filledReply(text, detail.ticket, session)
  const both = before ? `${before}\n\n${reply}` : reply
  draft.dispatch({ type: 'typed', text: both, now: Date.now() })
  knownActions()
    .find(({ id }) => id === 'ticket.reply')
    ?.run()
  return true
}
