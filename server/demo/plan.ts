import { CHANNELS, type ChannelKind } from '../channels/kinds.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import company from './company.yaml'
import stories, { type MailDetails, type Story, type Turn } from './stories.yaml'

const TICKETS = 300
const DAYS = 30
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How many of them begin in the last half day. */
const RECENT_TICKETS = 26
/** Each is used once. */
const WHOLE_STORIES = stories.filter(({ endedHoursAgo }) => endedHoursAgo !== undefined)
const STORIES = stories.filter(({ endedHoursAgo }) => endedHoursAgo === undefined)
/** Each customer has a shop, which is the domain of their email address. */
const PEOPLE = Object.entries(company.customers).map(([address, name], index) => ({
  name,
  address,
  shop: company.shops[index % company.shops.length] ?? 'shop',
}))
/** The channels, as often as customers use them. */
const WEIGHTED_CHANNELS: ChannelKind[] = [
  ...CHANNELS,
  'email',
  'email',
  'email',
  'widget',
  'widget',
  'telegram',
]

export interface PlannedTicket {
  subject: string
  channel: ChannelKind
  customer: { name: string; email: string }
  tags: string[]
}

/** One action at one time. `agent` is the index in the company's, `ticket` the number in the plan. */
export type Step = { at: number; ticket: number } & (
  | { action: 'open'; text: string; details: PlannedTicket; mail?: MailDetails }
  | { action: 'write'; text: string; mail?: MailDetails }
  | { action: 'reply'; text: string; agent: number; mail?: MailDetails }
  | { action: 'note' | 'assign'; text: string; agent: number }
  | { action: 'set status'; status: TicketStatus; agent: number }
  | { action: 'mark as spam'; agent: number }
)

/** Thirty days of conversations up to `until` (milliseconds since 1970), in order; always the same for a seed. */
export function planConversations(seed: number, until: number): Step[] {
  const random = createRandom(seed)
  const steps = WHOLE_STORIES.flatMap((story, ticket) =>
    endingAt(
      until - (story.endedHoursAgo ?? 0) * HOUR_MS,
      stepsOf(random, story, { ticket, startedAt: 0, until }),
    ),
  )
  for (let ticket = WHOLE_STORIES.length; ticket < TICKETS; ticket += 1) {
    const story = STORIES[ticket % STORIES.length]
    const startedAt = startOf(random, ticket, until)
    if (story) steps.push(...stepsOf(random, story, { ticket, startedAt, until }))
  }
  return steps
    .filter(({ at }) => at < until - MINUTE_MS)
    .sort((one, other) => one.at - other.at || one.ticket - other.ticket)
}

/** The same steps, shifted so that the last one is at `time`. */
function endingAt(time: number, steps: Step[]): Step[] {
  const by = time - (steps.at(-1)?.at ?? 0)
  return steps.map((step) => ({ ...step, at: step.at + by }))
}

/** More often by day than by night, and the last tickets within the last hours. */
function startOf(random: Random, ticket: number, until: number): number {
  if (ticket > TICKETS - RECENT_TICKETS) return until - random.between(4, 700) * MINUTE_MS
  const day = until - random.between(1, DAYS * 24 - 1) * HOUR_MS
  const hour = random.chance(0.85) ? random.between(7, 18) : random.between(0, 23)
  const at = day - (day % DAY_MS) + hour * HOUR_MS + random.between(0, 3_599) * 1_000
  return Math.min(at, until - 8 * MINUTE_MS)
}

interface TicketTimes {
  ticket: number
  startedAt: number
  until: number
}

function stepsOf(random: Random, story: Story, { ticket, startedAt, until }: TicketTimes): Step[] {
  const isWhole = story.endedHoursAgo !== undefined
  const { from } = story
  const { name, address, shop } = random.pick(
    from ? PEOPLE.filter((one) => from.includes(one.address)) : PEOPLE,
  )
  // The agent who signs in has some of the newest tickets assigned.
  const isOwn = isWhole || random.chance(ticket > TICKETS - 3 * RECENT_TICKETS ? 0.5 : 0.2)
  const agent = isOwn ? 0 : random.between(1, company.agents.length - 1)
  const filled = fill(slotsOf(random, name, agent))
  const details: PlannedTicket = {
    subject: filled(random.pick(story.subjects)),
    channel: story.channels ? random.pick(story.channels) : random.pick(WEIGHTED_CHANNELS),
    customer: { name, email: `${address}@${shop}.example` },
    tags: story.tags.map(filled),
  }
  const [first, ...later] = story.turns
  const text = filled(random.pick(first?.texts ?? ['']))
  const steps: Step[] = [{ at: startedAt, ticket, action: 'open', text, details, ...mailOf(first, filled) }]
  if (story.tags.includes('spam')) {
    return [...steps, { at: startedAt + 20 * MINUTE_MS, ticket, action: 'mark as spam', agent }]
  }
  // Some tickets get no reply, some wait for their customer.
  const isUnanswered = !isWhole && random.chance(0.03)
  const isCutShort = !isWhole && random.chance(0.08)
  const turns = isUnanswered ? [] : isCutShort ? later.slice(0, firstReply(later)) : later
  const at = addTurns(random, steps, { turns, agent, filled, isWhole })
  if (isUnanswered) return steps
  const age = isWhole ? 0 : until - at
  const status = endOf(random, isCutShort ? 'pending' : story.end, age)
  const wait = status === story.end ? random.between(1, 90) * MINUTE_MS : random.between(20, 70) * HOUR_MS
  if (status !== 'open') steps.push({ at: at + wait, ticket, action: 'set status', status, agent })
  return steps
}

/** Adds the steps after the first message. Returns the time of the last one. */
function addTurns(
  random: Random,
  steps: Step[],
  options: { turns: Turn[]; agent: number; filled: (text: string) => string; isWhole: boolean },
): number {
  const { turns, agent, filled, isWhole } = options
  let { at, ticket } = steps[0] ?? { at: 0, ticket: 0 }
  for (const turn of turns) {
    at += pause(random, turn, isWhole)
    const text = filled(random.pick(turn.texts))
    const isFirst = turn.by !== 'customer' && !steps.some(({ action }) => action === 'assign')
    if (isFirst) steps.push({ at: at - MINUTE_MS, ticket, action: 'assign', text: '', agent })
    const mail = mailOf(turn, filled)
    if (turn.by === 'customer') steps.push({ at, ticket, action: 'write', text, ...mail })
    else if (turn.by === 'agent') steps.push({ at, ticket, action: 'reply', text, agent, ...mail })
    else steps.push({ at, ticket, action: 'note', text, agent })
  }
  return at
}

function mailOf(turn: Turn | undefined, filled: (text: string) => string): { mail?: MailDetails } {
  const { mail } = turn ?? {}
  if (!mail) return {}
  return { mail: mail.html === undefined ? mail : { ...mail, html: filled(mail.html) } }
}

/** Few tickets stay open or pending for weeks. */
function endOf(random: Random, end: TicketStatus, age: number): TicketStatus {
  if (end === 'open' && age > 3 * DAY_MS && random.chance(0.85)) return 'resolved'
  if (end === 'pending' && age > 8 * DAY_MS && random.chance(0.85)) return 'resolved'
  return end
}

/** The number of turns up to and including the first reply. */
function firstReply(turns: Turn[]): number {
  return turns.findIndex(({ by }) => by === 'agent') + 1
}

function pause(random: Random, { by }: Turn, isWhole: boolean): number {
  if (isWhole) return random.between(20, 900) * MINUTE_MS
  if (by === 'note') return random.between(2, 40) * MINUTE_MS
  if (by === 'agent')
    return random.chance(0.7) ? random.between(4, 150) * MINUTE_MS : random.between(3, 20) * HOUR_MS
  return random.between(3, 1_400) * MINUTE_MS
}

function slotsOf(random: Random, name: string, agent: number): Record<string, string> {
  const carrier = random.pick(company.carriers)
  return {
    name,
    first: name.split(' ')[0] ?? name,
    agent: company.agents[agent]?.name.split(' ')[0] ?? '',
    order: `PB-${random.between(10_400, 98_900)}`,
    tracking: `JD0${random.between(100_000_000, 999_999_999)}`,
    carrier,
    carrierTag: carrier.toLowerCase(),
    city: random.pick(company.cities),
    amount: `€${random.between(3, 240)}.${random.pick(['00', '50', '90', '45'])}`,
  }
}

function fill(slots: Record<string, string>): (text: string) => string {
  return (text) => text.replaceAll(/\{(\w+)\}/g, (slot, name: string) => slots[name] ?? slot)
}

/** Pseudorandom numbers, the same each time for a seed. */
export interface Random {
  /** An integer, both ends included. */
  between(min: number, max: number): number
  pick<T>(from: readonly T[]): T
  /** True with this probability. */
  chance(probability: number): boolean
}

export function createRandom(seed: number): Random {
  let drawn = 0

  /** From 0 up to, but not including, 1. */
  function fraction(): number {
    drawn += 1
    return Bun.hash.xxHash32(String(drawn), seed) / 2 ** 32
  }

  const between = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1))
  return {
    between,
    pick(from) {
      const picked = from[between(0, from.length - 1)]
      if (picked === undefined) throw new Error('There is nothing to pick from.')
      return picked
    },
    chance: (probability) => fraction() < probability,
  }
}
