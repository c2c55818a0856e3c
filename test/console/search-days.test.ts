import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { indexed } from '../support/search.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

const FIRST = '2025-09-05T00:00:00.000Z'
const clock = createManualClock(Date.parse(FIRST))
let bellhop: Bellhop
let acme: Client
let ben: SignedInAgent

/** Times of last activity with a name each, in order. */
const MOMENTS = {
  // Clocks in Santiago go from 23:59:59 to 01:00 on the 7th of September 2025.
  santiagoLast: '2025-09-07T03:59:59.000Z',
  santiagoFirst: '2025-09-07T04:00:00.000Z',
  // In Lisbon the 26th of October 2025 has 25 hours.
  lisbonBefore: '2025-10-25T22:59:59.000Z',
  lisbonFirst: '2025-10-25T23:00:00.000Z',
  lisbonLast: '2025-10-26T23:59:59.000Z',
  lisbonAfter: '2025-10-27T00:00:00.000Z',
  tokyoLast: '2025-11-21T14:59:59.000Z',
  tokyoFirst: '2025-11-21T15:00:00.000Z',
  // In New York the 8th of March 2026 has 23 hours.
  newYorkFirst: '2026-03-08T05:00:00.000Z',
  newYorkLast: '2026-03-09T03:59:59.000Z',
  newYorkAfter: '2026-03-09T04:00:00.000Z',
}

beforeAll(async () => {
  bellhop = await startBellhop({ clock })
  acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId)
  for (const [subject, at] of Object.entries(MOMENTS)) {
    clock.jump(Date.parse(at) - clock.now())
    await makeTicket(acme, { subject, message: 'Chronicle' })
  }
  // A session lasts less than half a year.
  ben = await signInAgent(bellhop, acme.orgId)
})
afterAll(() => bellhop.stop())

function list(q: string, more: string) {
  return ben.call<{ data: { subject: string }[]; nextCursor?: string }>(
    'GET',
    `/console/tickets?q=${encodeURIComponent(q)}${more}`,
  )
}

/** Oldest first. */
async function found(q: string, zone?: string): Promise<string[]> {
  await indexed(bellhop, clock)
  const answer = await list(q, zone === undefined ? '' : `&zone=${encodeURIComponent(zone)}`)
  expect(answer.status, `${q} ${zone}: ${answer.text}`).toBe(200)
  return answer.json.data.map(({ subject }) => subject).reverse()
}

test('days begin and end in the agent’s time zone, also when clocks change', async () => {
  const days: [zone: string | undefined, day: string, next: string, wanted: string[]][] = [
    ['America/Santiago', '2025-09-06', '2025-09-07', ['santiagoLast']],
    ['America/Santiago', '2025-09-07', '2025-09-08', ['santiagoFirst']],
    ['Europe/Lisbon', '2025-10-25', '2025-10-26', ['lisbonBefore']],
    ['Europe/Lisbon', '2025-10-26', '2025-10-27', ['lisbonFirst', 'lisbonLast']],
    ['Europe/Lisbon', '2025-10-27', '2025-10-28', ['lisbonAfter']],
    ['Asia/Tokyo', '2025-11-21', '2025-11-22', ['tokyoLast']],
    ['Asia/Tokyo', '2025-11-22', '2025-11-23', ['tokyoFirst']],
    ['UTC', '2025-11-21', '2025-11-22', ['tokyoLast', 'tokyoFirst']],
    [undefined, '2025-11-21', '2025-11-22', ['tokyoLast', 'tokyoFirst']],
    ['America/New_York', '2026-03-08', '2026-03-09', ['newYorkFirst', 'newYorkLast']],
    ['America/New_York', '2026-03-09', '2026-03-10', ['newYorkAfter']],
    ['Pacific/Kiritimati', '2026-03-08', '2026-03-09', ['newYorkFirst']],
    ['Pacific/Pago_Pago', '2026-03-08', '2026-03-09', ['newYorkLast', 'newYorkAfter']],
  ]
  for (const [zone, day, next, wanted] of days) {
    expect(await found(`after:${day} before:${next}`, zone), `${zone} ${day}`).toEqual(wanted)
    expect(await found(`-before:${day} -after:${next} chronicle`, zone), `${zone} ${day}`).toEqual(wanted)
  }
})

test('a cursor is for one time zone in a search with dates, and for any in other searches', async () => {
  for (const [q, status] of [
    ['after:2025-09-01', 400],
    ['status:open', 200],
  ] as const) {
    const { nextCursor = '' } = (await list(q, '&zone=Asia/Tokyo&limit=2')).json
    expect((await list(q, `&zone=Asia/Tokyo&limit=2&cursor=${nextCursor}`)).status).toBe(200)
    expect((await list(q, `&zone=Europe/Lisbon&limit=2&cursor=${nextCursor}`)).status).toBe(status)
  }
})

test('the counts of saved views use the time zone of the page', async () => {
  const { json } = await ben.call<{ id: string }>('POST', '/console/views', {
    body: { name: 'Since', query: 'after:2025-11-21 before:2025-11-22' },
  })
  const countIn = async (more: string) => {
    const counts = await ben.call<{ saved: { id: string; count: number }[] }>('GET', `/console/counts${more}`)
    return counts.json.saved.find(({ id }) => id === json.id)?.count
  }
  expect(await countIn('')).toBe(2)
  expect(await countIn('?zone=Asia/Tokyo')).toBe(1)
  expect(await countIn('?zone=Mars/Olympus')).toBeUndefined()
})

test('an unknown time zone is refused in a search with dates, and an invalid one in every search', async () => {
  for (const zone of ['', 'a'.repeat(65)]) {
    problemOf(await list('', `&zone=${encodeURIComponent(zone)}`), 400, 'invalid_request')
  }
  for (const zone of ['a b', '..', 'Europe', '\u0000']) {
    const answer = await list('after:2026-01-01', `&zone=${encodeURIComponent(zone)}`)
    expect([zone, answer.status]).toEqual([zone, 400])
  }
  const { detail } = problemOf(await list('after:2026-01-01', '&zone=Mars/Olympus'), 400, 'invalid_query')
  expect(detail).toBe('“Mars/Olympus” isn’t a known time zone.')
  expect((await list('status:open', '&zone=Mars/Olympus')).status).toBe(200)
})
