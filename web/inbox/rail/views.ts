import { quoted } from '../../../server/search/query-language.ts'
import type { Answer, api } from '../../api/api.ts'
import { defaultSortOf, type Sort, sortOfView } from '../list/sort.ts'

export type SavedView = Answer<typeof api.console.views.get>['data'][number]
type Counts = Answer<typeof api.console.counts.get>
export type BuiltInView = keyof Counts['views']

/** A list of tickets. Every view is a search. */
export interface View {
  /** Its part of the URL: `mine`, `viw_…`, `tag~refund`, `search`. */
  id: string
  name: string
  /** In the search grammar. */
  query: string
}

const TAG = 'tag~'
export const SEARCH = 'search'
/** The view the inbox opens with. */
export const FIRST_VIEW = 'mine'

/** The key that goes to the view, pressed after `g`. */
export const VIEW_LETTERS: Record<BuiltInView, string> = {
  mine: 'm',
  mentions: 'n',
  unassigned: 'u',
  open: 'a',
  pending: 'p',
  resolved: 'r',
  failed: 'f',
  held: 'h',
  scheduled: 'l',
  suggested: 'y',
  snoozed: 'z',
  spam: 's',
}

export const BUILT_IN_VIEWS: readonly (View & { id: BuiltInView })[] = [
  { id: 'mine', name: 'My open', query: 'status:open assigned:me' },
  { id: 'mentions', name: 'Mentions', query: 'is:mentioned' },
  { id: 'unassigned', name: 'Unassigned', query: 'status:open assigned:none' },
  { id: 'open', name: 'All open', query: 'status:open' },
  { id: 'pending', name: 'Pending', query: 'status:pending' },
  { id: 'snoozed', name: 'Snoozed', query: 'is:snoozed' },
  { id: 'resolved', name: 'Resolved', query: 'status:resolved' },
  { id: 'failed', name: 'Failed sends', query: 'is:failed' },
  { id: 'held', name: 'Held', query: 'is:held' },
  { id: 'scheduled', name: 'Scheduled', query: 'is:scheduled' },
  { id: 'suggested', name: 'Suggested', query: 'is:suggested' },
  { id: 'spam', name: 'Spam', query: 'is:spam' },
]

/** The view of a URL. Undefined while saved views are loading, and when it doesn't exist. */
export function viewOf(id: string, q: string, saved: readonly SavedView[]): View | undefined {
  if (id === SEARCH) return { id, name: 'Search', query: q }
  if (id.startsWith(TAG)) return tagView(id.slice(TAG.length))
  return BUILT_IN_VIEWS.find((view) => view.id === id) ?? saved.find((view) => view.id === id)
}

export function tagView(tag: string): View {
  return { id: TAG + tag, name: tag, query: `status:open tag:${quoted(tag)}` }
}

/** The URL of a view, optionally with a ticket open in it. It is in the order that it was last put in, by default. */
export function hrefOf(
  viewId: string,
  { ticketId = '', q = '', sort = sortOfView(viewId) }: { ticketId?: string; q?: string; sort?: Sort } = {},
): string {
  const path = ['', 'inbox', encodeURIComponent(viewId), ...(ticketId ? [ticketId] : [])].join('/')
  const query = new URLSearchParams({ ...(q && { q }), ...(sort !== defaultSortOf(viewId) && { sort }) })
  return query.size > 0 ? `${path}?${query}` : path
}
