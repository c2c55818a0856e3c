import { and, desc, like } from 'drizzle-orm'
import { createProgram } from '../agents/programs.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import { tickets } from '../database/tables/tickets.ts'
import { actingAs, type Deps } from '../deps.ts'
import { addSuggestion } from '../suggestions/suggestions.ts'
import company from './company.yaml'

/** A program that has suggested answers to the newest messages of some customers. */
export async function addSuggestions(deps: Deps, orgId: string): Promise<void> {
  const { name, suggestions } = company.program
  const { id: byId } = await createProgram(deps, orgId, { name })
  const asProgram = actingAs(deps, { kind: 'program', id: byId, name })
  for (const { subject, ...suggested } of suggestions) {
    const [newest] = await deps.database.read
      .select({ id: messages.id, ticketId: messages.ticketId })
      .from(messages)
      .innerJoin(tickets, matches(tickets, { orgId, id: messages.ticketId }))
      .where(and(matches(messages, { orgId, role: 'customer' }), like(tickets.subject, `${subject}%`)))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(1)
    if (!newest) throw new Error(`The demo has no ticket “${subject}”.`)
    const author = { byId, uploader: byId }
    const about = { ticketId: newest.ticketId, answers: newest.id, format: 'markdown' as const }
    await addSuggestion(asProgram, orgId, { author, ...about, ...suggested })
  }
}
