import { and, eq, isNull } from 'drizzle-orm'
import { addressKey } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { agents } from '../../../database/tables/agents.ts'
import type { Message } from '../../../tickets/queries.ts'
import type { OwnAddresses } from '../own-addresses.ts'
import type { FoundTicket } from './find-ticket.ts'
import { nameOf, type Writer } from './writer-of.ts'

/** The name of the colleague who wrote a mail: it comes from an agent's address, or from one of our own. */
export async function findColleague(
  tx: Transaction,
  { orgId, own, writer: { from, person } }: { orgId: string; own: OwnAddresses; writer: Writer },
): Promise<string | undefined> {
  if (person !== from) return undefined
  const [agent] = await findAgent(tx, { orgId, emailKey: from.address.toLowerCase() })
  if (agent) return agent.name
  return own.has(from.address) ? (nameOf(from) ?? from.address) : undefined
}

/** For a third party if the customer doesn't get it. */
export type ColleagueAnswer = Pick<Message, 'author'>

/**
 * Whether a colleague's mail is an answer of ours: it went to people outside, about a ticket that isn't the colleague's
 * own. Any other mail of a colleague is filed like everyone's.
 */
export function answerOf(
  { email, isAutomatic }: Pick<Message, 'email' | 'isAutomatic'>,
  { own, found }: { own: OwnAddresses; found: FoundTicket },
): ColleagueAnswer | undefined {
  if (!email || isAutomatic || found.author === 'customer') return undefined
  const outside = [...email.to, ...email.cc].filter(({ address }) => !own.has(address))
  if (outside.length === 0) return undefined
  const { customer } = found
  const isInformed = customer === '' || outside.some(({ address }) => addressKey(address) === customer)
  return { author: isInformed ? null : 'third_party' }
}

const findAgent = statement('incoming_agent', { orgId: text, emailKey: text }, (tx, p) =>
  tx
    .select({ name: agents.name })
    .from(agents)
    .where(and(eq(agents.orgId, p.orgId), eq(agents.emailKey, p.emailKey), isNull(agents.disabledAt))),
)
