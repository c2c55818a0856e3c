import { CHANNELS, type Channel, type TicketStatus } from '../database/tables/tickets.ts'
import { LONG_THREAD } from './long-thread.ts'
import { AGENTS, CARRIERS, CITIES, CUSTOMERS, SHOPS } from './people.ts'
import { createRandom, type Random } from './random.ts'
import { MONEY_STORIES } from './stories-money.ts'
import { PARCEL_STORIES } from './stories-parcels.ts'
import { PEOPLE_STORIES } from './stories-people.ts'
import { SOFTWARE_STORIES } from './stories-software.ts'
import type { Story, Turn } from './story.ts'

const TICKETS = 300
const DAYS = 30
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** So many of them in the last half day. */
const LATEST = 26
const STORIES = [...PARCEL_STORIES, ...MONEY_STORIES, ...SOFTWARE_STORIES, ...PEOPLE_STORIES]
/** Everybody has one shop. */
const PEOPLE = CUSTOMERS.map((person, place) => ({ ...person, shop: SHOPS[place % SHOPS.length] ?? 'shop' }))
/** How often customers write in which way, of ten. */
const WAYS: Channel[] = [...CHANNELS, 'email', 'email', 'email', 'widget', 'widget', 'telegram']

export interface PlannedTicket {
  subject: string
  channel: Channel
  customer: { name: string; email: string }
  tags: string[]
}

/** Something that somebody did. `agent` is the place in `AGENTS`, `ticket` the one in the plan. */
export type Step = { at: number; ticket: number } & (
  | { does: 'open'; text: string; opened: PlannedTicket }
  | { does: 'write'; text: string }
  | { does: 'answer' | 'note' | 'take'; text: string; agent: number }
  | { does: 'set'; status: TicketStatus; agent: number }
  | { does: 'mark as spam'; agent: number }
)

/** The conversations of thirty days up to `until` (milliseconds), in the order they happened; the same for each seed. */
export function planConversations(seed: number, until: number): Step[] {
  const random = createRandom(seed)
  const steps = endingAt(until - 3 * HOUR_MS, tell(random, LONG_THREAD, { ticket: 0, startedAt: 0, until }))
  for (let ticket = 1; ticket < TICKETS; ticket += 1) {
    const story = STORIES[ticket % STORIES.length]
    const startedAt = startOf(random, ticket, until)
    if (story) steps.push(...tell(random, story, { ticket, startedAt, until }))
  }
  return steps
    .filter(({ at }) => at < until - MINUTE_MS)
    .sort((one, other) => one.at - other.at || one.ticket - other.ticket)
}

/** The same, moved so that the last step is then. */
function endingAt(time: number, steps: Step[]): Step[] {
  const by = time - (steps.at(-1)?.at ?? 0)
  return steps.map((step) => ({ ...step, at: step.at + by }))
}

/** More in the day than in the night, and the last ones within the last hours. */
function startOf(random: Random, ticket: number, until: number): number {
  if (ticket > TICKETS - LATEST) return until - random.between(4, 700) * MINUTE_MS
  const day = until - random.between(1, DAYS * 24 - 1) * HOUR_MS
  const hour = random.chance(0.85) ? random.between(7, 18) : random.between(0, 23)
  const at = day - (day % DAY_MS) + hour * HOUR_MS + random.between(0, 3_599) * 1_000
  return Math.min(at, until - 8 * MINUTE_MS)
}

interface Telling {
  ticket: number
  startedAt: number
  until: number
}

function tell(random: Random, story: Story, { ticket, startedAt, until }: Telling): Step[] {
  const isLong = story === LONG_THREAD
  const { from } = story
  const { name, address, shop } = random.pick(
    from ? PEOPLE.filter((one) => from.includes(one.address)) : PEOPLE,
  )
  // The agent who signs in has some of the newest tickets assigned.
  const isOwn = isLong || random.chance(ticket > TICKETS - 3 * LATEST ? 0.5 : 0.2)
  const agent = isOwn ? 0 : random.between(1, AGENTS.length - 1)
  const filled = fill(slotsOf(random, name, agent))
  const opened: PlannedTicket = {
    subject: filled(random.pick(story.subjects)),
    channel: story.channels ? random.pick(story.channels) : random.pick(WAYS),
    customer: { name, email: `${address}@${shop}.example` },
    tags: story.tags.map(filled),
  }
  const [first, ...later] = story.turns
  const text = filled(random.pick(first?.texts ?? ['']))
  const steps: Step[] = [{ at: startedAt, ticket, does: 'open', text, opened }]
  if (story.tags.includes('spam')) {
    return [...steps, { at: startedAt + 20 * MINUTE_MS, ticket, does: 'mark as spam', agent }]
  }
  // Some are left lying, some wait for their customer.
  const isForgotten = !isLong && random.chance(0.03)
  const isCutShort = !isLong && random.chance(0.08)
  const told = isForgotten ? [] : isCutShort ? later.slice(0, firstAnswer(later)) : later
  const at = goOn(random, steps, { told, agent, filled, isLong })
  if (isForgotten) return steps
  const age = isLong ? 0 : until - at
  const status = endOf(random, isCutShort ? 'pending' : story.end, age)
  const wait = status === story.end ? random.between(1, 90) * MINUTE_MS : random.between(20, 70) * HOUR_MS
  if (status !== 'open') steps.push({ at: at + wait, ticket, does: 'set', status, agent })
  return steps
}

/** Adds what was said behind the first message; answers when the last of it was. */
function goOn(
  random: Random,
  steps: Step[],
  how: { told: Turn[]; agent: number; filled: (text: string) => string; isLong: boolean },
): number {
  const { told, agent, filled, isLong } = how
  let { at, ticket } = steps[0] ?? { at: 0, ticket: 0 }
  for (const turn of told) {
    at += pause(random, turn, isLong)
    const text = filled(random.pick(turn.texts))
    const isFirst = turn.by !== 'customer' && !steps.some(({ does }) => does === 'take')
    if (isFirst) steps.push({ at: at - MINUTE_MS, ticket, does: 'take', text: '', agent })
    if (turn.by === 'customer') steps.push({ at, ticket, does: 'write', text })
    else steps.push({ at, ticket, does: turn.by === 'note' ? 'note' : 'answer', text, agent })
  }
  return at
}

/** Little stays open or waiting for weeks. */
function endOf(random: Random, end: TicketStatus, age: number): TicketStatus {
  if (end === 'open' && age > 3 * DAY_MS && random.chance(0.85)) return 'resolved'
  if (end === 'pending' && age > 8 * DAY_MS && random.chance(0.85)) return 'resolved'
  return end
}

/** Up to and with the first answer. */
function firstAnswer(turns: Turn[]): number {
  return turns.findIndex(({ by }) => by === 'agent') + 1
}

function pause(random: Random, { by }: Turn, isLong: boolean): number {
  if (isLong) return random.between(20, 900) * MINUTE_MS
  if (by === 'note') return random.between(2, 40) * MINUTE_MS
  if (by === 'agent')
    return random.chance(0.7) ? random.between(4, 150) * MINUTE_MS : random.between(3, 20) * HOUR_MS
  return random.between(3, 1_400) * MINUTE_MS
}

function slotsOf(random: Random, name: string, agent: number): Record<string, string> {
  const carrier = random.pick(CARRIERS)
  return {
    name,
    first: name.split(' ')[0] ?? name,
    agent: AGENTS[agent]?.name.split(' ')[0] ?? '',
    order: `PB-${random.between(10_400, 98_900)}`,
    tracking: `JD0${random.between(100_000_000, 999_999_999)}`,
    carrier,
    carrierTag: carrier.toLowerCase(),
    city: random.pick(CITIES),
    amount: `${random.between(3, 240)},${random.pick(['00', '50', '90', '45'])} €`,
  }
}

function fill(slots: Record<string, string>): (text: string) => string {
  return (text) => text.replaceAll(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot)
}
