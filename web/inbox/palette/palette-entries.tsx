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
import { observe } from '../../api/observe-query.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { useAgents, useSavedReplies, useTags } from '../../api/workspace.ts'
import { zone } from '../../browser/time-zone.ts'
import { isActionEnabled, type KeyAction, knownActions } from '../../keyboard/keys.ts'
import { useSavedViews } from '../inbox-data.ts'
import { ChannelIcon } from '../list/channel-icon.tsx'
import { BUILT_IN_VIEWS, hrefOf, SEARCH, tagView, VIEW_LETTERS } from '../rail/views.ts'
import { actionIcon } from './action-icons.ts'
import { fuzzyScore } from './fuzzy.ts'
import { insertReply } from './insert-reply.ts'

export interface Entry {
  group: string
  label: string
  detail?: string
  keys?: string
  icon?: () => JSX.Element
  run: () => void
}

const PAUSE_MS = 120
const MOST_TICKETS = 6
const MOST_OF_A_GROUP = 6
/** Shorter ones match nearly everything. */
const LEAST_LETTERS = 2

/** What is done to tickets comes first. */
const ORDER: readonly KeyAction['section'][] = ['Ticket', 'Select', 'Move', 'Everywhere', 'Go to']

/** What the palette offers for what was typed: the best of each kind, and the tickets that the server finds. */
export function createEntries(
  typed: Accessor<string>,
  ticketId: Accessor<string | undefined>,
): Accessor<Entry[]> {
  const navigate = useNavigate()
  const openView = (id: string) => navigate(hrefOf(id), { scroll: false })
  const views = useSavedViews()
  const tags = useTags()
  const agents = useAgents()
  const replies = useSavedReplies()
  const session = useSession()
  const tickets = createTicketEntries(typed, (id) => navigate(hrefOf('open', { ticketId: id })))
  const toSearch = (q: string) => navigate(hrefOf(SEARCH, { q }))

  const actions = createMemo(() =>
    knownActions()
      .filter((action) => !action.isKeyOnly && isActionEnabled(action))
      .toSorted((a, b) => ORDER.indexOf(a.section) - ORDER.indexOf(b.section))
      .map(
        ({ id, label, keys, section, run }): Entry => ({
          group: 'Actions',
          label,
          keys: keys.join(' '),
          icon: () => <Dynamic component={actionIcon({ id, section })} />,
          run,
        }),
      ),
  )
  const places = createMemo(() => [
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
  const people = createMemo(() =>
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
  const texts = createMemo(() =>
    replies().map(
      ({ id, name, text }): Entry => ({
        group: 'Saved replies',
        label: name,
        detail: ticketId() ? 'write it' : 'look at it',
        icon: () => <TextQuote />,
        run: () => insertReply(ticketId(), text, session()) || navigate(`/settings/saved-replies/${id}`),
      }),
    ),
  )

  return createMemo(() => {
    const text = typed()
    if (!text) return [...actions(), ...places().slice(0, BUILT_IN_VIEWS.length)]
    const groups = [actions(), places(), people(), texts()].map((group) => best(group, text))
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

/** The server's answer to what was typed, the last one until there is a newer. */
function createTicketEntries(typed: Accessor<string>, open: (id: string) => void): Accessor<Entry[]> {
  const [asked, setAsked] = createSignal('')
  createEffect(() => {
    const text = typed()
    const timer = setTimeout(() => setAsked(text), PAUSE_MS)
    onCleanup(() => clearTimeout(timer))
  })
  const found = observe(() => ({
    queryKey: queryKeys.palette(asked()),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      ask(
        api.console.tickets.get({ query: { q: asked(), limit: MOST_TICKETS, ...zone() }, fetch: { signal } }),
      ),
    enabled: asked().length >= LEAST_LETTERS,
    staleTime: 0,
  }))
  return createMemo(() => {
    const rows = typed().length >= LEAST_LETTERS ? found().data?.data : undefined
    return (rows ?? []).map(
      ({ id, subject, customer, channel }): Entry => ({
        group: 'Tickets',
        label: subject || 'No subject',
        detail: customer.name,
        icon: () => <ChannelIcon channel={channel} />,
        run: () => open(id),
      }),
    )
  })
}

function best(entries: readonly Entry[], text: string): { entries: Entry[]; score: number } {
  const scored = entries.flatMap((entry) => {
    const score = fuzzyScore(entry.label, text)
    return score === undefined ? [] : [{ entry, score }]
  })
  scored.sort((a, b) => b.score - a.score)
  return { entries: scored.slice(0, MOST_OF_A_GROUP).map(({ entry }) => entry), score: scored[0]?.score ?? 0 }
}
