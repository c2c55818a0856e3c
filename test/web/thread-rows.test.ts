import { expect, test } from 'bun:test'
import { threadRows } from '../../web/ticket/thread/thread-rows.ts'
import type { ActivityEntry } from '../../web/ticket/ticket-query.ts'

const START = Date.parse('2026-03-03T09:30:00Z')
const SHAPE = { unreadFrom: undefined, shownCount: 3 }

function change(
  id: string,
  second: number,
  changes: ActivityEntry['changes'],
  agentId = 'agt_ben',
): ActivityEntry {
  return {
    kind: 'activity',
    id,
    actor: { kind: 'agent', id: agentId, name: 'Ben Okafor' },
    changes,
    createdAt: new Date(START + second * 1_000).toISOString(),
  }
}

function shownIds(entries: ActivityEntry[]): string[] {
  return threadRows(entries, SHAPE).flatMap((row) =>
    row.kind === 'activity' ? row.items.map(({ id }) => id) : [],
  )
}

test('a change that was undone within ten seconds is not in the thread', () => {
  const resolve = change('a', 0, [{ field: 'status', from: 'open', to: 'resolved' }])
  const reopen = change('b', 6, [{ field: 'status', from: 'resolved', to: 'open' }])
  const tag = change('c', 20, [{ field: 'tags', from: ['vip', 'late'], to: ['vip'] }])
  const untag = change('d', 25, [{ field: 'tags', from: ['vip'], to: ['late', 'vip'] }])
  expect(shownIds([resolve, reopen])).toEqual([])
  expect(shownIds([resolve, reopen, tag])).toEqual(['c'])
  expect(shownIds([tag, untag])).toEqual([])
})

test('a change that was taken back later, by someone else or only in part is in the thread', () => {
  const resolve = change('a', 0, [{ field: 'status', from: 'open', to: 'resolved' }])
  const back: ActivityEntry['changes'] = [{ field: 'status', from: 'resolved', to: 'open' }]
  expect(shownIds([resolve, change('b', 11, back)])).toEqual(['a', 'b'])
  expect(shownIds([resolve, change('b', 5, back, 'agt_cy')])).toEqual(['a', 'b'])
  const pending = change('b', 5, [{ field: 'status', from: 'resolved', to: 'pending' }])
  expect(shownIds([resolve, pending])).toEqual(['a', 'b'])
})
