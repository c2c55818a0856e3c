import { CHANNELS, type Channel, type TicketStatus } from '../database/schema.ts'
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
const DAY_MS = 86_400_000
const STORIES = [...PARCEL_STORIES, ...MONEY_STORIES, ...SOFTWARE_STORIES, ...PEOPLE_STORIES]
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
  const steps: Step[] = []
  for (let ticket = 0; ticket < TICKETS; ticket += 1) {
    const isLong = ticket === 0
    const story = isLong ? LONG_THREAD : STORIES[ticket % STORIES.length]
    const startedAt = isLong ? until - 19 * DAY_MS : startOf(random, ticket, until)
    if (story) steps.push(...tell(random, story, { ticket, startedAt, isLong }))
  }
  return steps
    .filter(({ at }) => at < until - MINUTE_MS)
    .sort((one, other) => one.at - other.at || one.ticket - other.ticket)
}

/** More in the day than in the night, and the last ones within the last hours. */
function startOf(random: Random, ticket: number, until: number): number {
  if (ticket > TICKETS - 16) return until - random.between(4, 400) * MINUTE_MS
  const day = until - random.between(1, DAYS * 24 - 1) * 3_600_000
  const hour = random.chance(0.85) ? random.between(7, 18) : random.between(0, 23)
  const at = day - (day % DAY_MS) + hour * 3_600_000 + random.between(0, 3_599) * 1_000
  return Math.min(at, until - 8 * MINUTE_MS)
}

function tell(
  random: Random,
  story: Story,
  { ticket, startedAt, isLong }: { ticket: number; startedAt: number; isLong: boolean },
): Step[] {
  const { name, address } = random.pick(CUSTOMERS)
  const agent = isLong || random.chance(0.25) ? 0 : random.between(1, AGENTS.length - 1)
  const filled = fill(slotsOf(random, name, agent))
  const opened: PlannedTicket = {
    subject: filled(random.pick(story.subjects)),
    channel: story.channels ? random.pick(story.channels) : random.pick(WAYS),
    customer: { name, email: `${address}@${random.pick(SHOPS)}.example` },
    tags: story.tags.map(filled),
  }
  const [first, ...later] = story.turns
  const steps: Step[] = [
    { at: startedAt, ticket, does: 'open', text: filled(random.pick(first?.texts ?? [''])), opened },
  ]
  let at = startedAt
  if (story.tags.includes('spam'))
    return [...steps, { at: at + 20 * MINUTE_MS, ticket, does: 'mark as spam', agent }]
  // Some are left lying, some wait for their customer.
  const isForgotten = random.chance(0.04)
  const told = isForgotten ? [] : random.chance(0.08) ? later.slice(0, lastAnswer(later)) : later
  for (const turn of told) {
    at += pause(random, turn, isLong)
    const text = filled(random.pick(turn.texts))
    const isFirst = turn.by !== 'customer' && !steps.some(({ does }) => does === 'take')
    if (isFirst) steps.push({ at: at - MINUTE_MS, ticket, does: 'take', text: '', agent })
    if (turn.by === 'customer') steps.push({ at, ticket, does: 'write', text })
    else steps.push({ at, ticket, does: turn.by === 'note' ? 'note' : 'answer', text, agent })
  }
  const end = isForgotten ? 'open' : told.length < later.length ? 'pending' : story.end
  if (end !== 'open')
    steps.push({ at: at + random.between(1, 90) * MINUTE_MS, ticket, does: 'set', status: end, agent })
  return steps
}

/** Up to and with the first answer. */
function lastAnswer(turns: Turn[]): number {
  return turns.findIndex(({ by }) => by === 'agent') + 1
}

function pause(random: Random, { by }: Turn, isLong: boolean): number {
  if (isLong) return random.between(20, 900) * MINUTE_MS
  if (by === 'note') return random.between(2, 40) * MINUTE_MS
  if (by === 'agent')
    return random.chance(0.7) ? random.between(4, 150) * MINUTE_MS : random.between(3, 20) * 3_600_000
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
