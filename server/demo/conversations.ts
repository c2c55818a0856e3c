import { describeFile } from '../attachments/uploads.ts'
import { upsertCustomer } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { notes } from '../database/tables/threads.ts'
import type { Actor, Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { addAgentMessage } from '../tickets/messages.ts'
import { lockTicket } from '../tickets/queries.ts'
import { receiveCustomerMessage } from '../tickets/receive-message.ts'
import { openTicket } from '../tickets/tickets.ts'
import { changeRow, type InboxChange, recordChanges } from '../tickets/update-ticket.ts'
import { type DemoMailbox, type FetchedMail, fetchMails, recordSent, storeFetched } from './demo-mailbox.ts'
import { type DemoFileName, demoFile } from './files.ts'
import { type DemoOrganization, depsAt } from './organization.ts'
import type { Step } from './plan.ts'
import { writeRawMails } from './raw-mails.ts'

/** Steps in one unit. */
const STEPS_PER_UNIT = 200

type ReplyFile = Awaited<ReturnType<typeof describeFile>>

/** What the steps need beside the database. */
interface Stage {
  organization: DemoOrganization
  mailbox: DemoMailbox
  /** By the step that they are. */
  mails: Map<Step, FetchedMail>
  /** Files of replies, by name. */
  files: Map<DemoFileName, ReplyFile>
  /** Ids by the number of the ticket in the plan. */
  tickets: Map<number, string>
  /** A mail has no tags: an agent adds them. By the number of the ticket. */
  tags: Map<number, string[]>
}

/** Runs the steps of a plan, each at its time. What customers write by email arrives in the mailbox. */
export async function runPlan(
  deps: Deps,
  { organization, mailbox }: Pick<Stage, 'organization' | 'mailbox'>,
  steps: Step[],
): Promise<void> {
  const stage: Stage = {
    organization,
    mailbox,
    mails: await receiveMails(deps, steps),
    files: await storeReplyFiles(deps, steps),
    tickets: new Map(),
    tags: new Map(),
  }
  for (let start = 0; start < steps.length; start += STEPS_PER_UNIT) {
    const some = steps.slice(start, start + STEPS_PER_UNIT)
    await deps.database.write(async (tx) => {
      for (const step of some) {
        const author = 'agent' in step ? organization.agents[step.agent] : undefined
        const actor: Actor = author ? { kind: 'agent', ...author } : deps.actor
        await runStep(depsAt(deps, step.at, actor), tx, { stage, step })
      }
    })
  }
}

async function receiveMails(deps: Deps, steps: Step[]): Promise<Map<Step, FetchedMail>> {
  const raws = await writeRawMails(steps)
  const fetched = await fetchMails(
    deps,
    raws.map(({ raw }) => raw),
  )
  const mails = new Map<Step, FetchedMail>()
  for (const [index, mail] of fetched.entries()) {
    const step = raws[index]?.step
    if (step) mails.set(step, mail)
  }
  return mails
}

async function storeReplyFiles(deps: Deps, steps: Step[]): Promise<Map<DemoFileName, ReplyFile>> {
  const files = new Map<DemoFileName, ReplyFile>()
  for (const name of steps.flatMap((step) => (step.action === 'reply' ? (step.mail?.files ?? []) : []))) {
    using kept = await deps.files.put(await demoFile(name))
    files.set(name, await describeFile(kept, name))
  }
  return files
}

async function runStep(
  deps: Deps,
  tx: Transaction,
  { stage, step }: { stage: Stage; step: Step },
): Promise<void> {
  const { tickets, tags, organization, mailbox } = stage
  const { orgId } = organization
  const { id: agentId = '', name: agentName } = deps.actor
  const mail = stage.mails.get(step)
  if (mail) {
    const ticketOfMail = await storeFetched(deps, tx, mailbox, mail)
    if (ticketOfMail === undefined)
      throw new Error(`A mail of ticket ${step.ticket} of the plan has no ticket.`)
    tickets.set(step.ticket, ticketOfMail)
    if (step.action === 'open') tags.set(step.ticket, step.details.tags)
    return
  }
  if (step.action === 'open') {
    const customer = await upsertCustomer(deps, tx, orgId, step.details.customer)
    const opened = { ...step.details, customer, message: { text: step.text } }
    const { id } = await openTicket(deps, tx, orgId, opened)
    tickets.set(step.ticket, id)
    return
  }
  const ticketId = tickets.get(step.ticket)
  if (ticketId === undefined) throw new Error(`Ticket ${step.ticket} of the plan was never opened.`)
  switch (step.action) {
    case 'write':
      return void (await receiveCustomerMessage(deps, tx, orgId, { ticketId, text: step.text }))
    case 'reply': {
      const { event, message } = await addAgentMessage(deps, tx, orgId, {
        ticketId,
        text: step.text,
        format: 'markdown',
        agentId,
        agentName,
        attachments: { received: (step.mail?.files ?? []).flatMap((name) => stage.files.get(name) ?? []) },
      })
      await recordEvents(deps, tx, orgId, [event])
      return recordSent(deps, tx, { orgId, messageId: message.id })
    }
    case 'note':
      return addNote(deps, tx, { orgId, ticketId, agentId, agentName, text: step.text })
    case 'assign': {
      const addTags = tags.get(step.ticket) ?? []
      return change(deps, tx, { orgId, ticketId, change: { assignedTo: agentId, addTags } })
    }
    case 'set status':
      return change(deps, tx, { orgId, ticketId, change: { status: step.status } })
    case 'mark as spam':
      return change(deps, tx, { orgId, ticketId, change: { isSpam: true } })
  }
}

interface NewText {
  orgId: string
  ticketId: string
  text: string
}

async function addNote(
  deps: Deps,
  tx: Transaction,
  note: NewText & { agentId: string; agentName: string },
): Promise<void> {
  const createdAt = deps.clock.now()
  await tx.insert(notes).values({ id: deps.newId('not'), ...note, format: 'markdown', createdAt })
  await recordEvents(deps, tx, note.orgId, [{ type: 'note.added', ticketId: note.ticketId, createdAt }])
}

async function change(
  deps: Deps,
  tx: Transaction,
  { orgId, ticketId, change }: { orgId: string; ticketId: string; change: InboxChange },
): Promise<void> {
  const now = deps.clock.now()
  const [before] = await lockTicket(tx, { orgId, id: ticketId })
  if (!before) throw new Error(`Ticket ${ticketId} is missing.`)
  const assignable = new Set([change.assignedTo ?? ''])
  const changed = await changeRow(deps, tx, before, { change, assignable, now })
  if (changed) await recordChanges(deps, tx, orgId, { done: [changed], now })
}
