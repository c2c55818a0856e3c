import { describeFile } from '../attachments/uploads.ts'
import { upsertCustomer } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { Actor, Deps } from '../deps.ts'
import { putNote } from '../threads/notes.ts'
import { postAgentMessage } from '../tickets/messages.ts'
import { receiveCustomerMessage } from '../tickets/receive-message.ts'
import { openTicket } from '../tickets/tickets.ts'
import { type InboxChange, updateTicket } from '../tickets/update-ticket.ts'
import { type DemoMailbox, type FetchedMail, fetchMails, recordSent, storeFetched } from './demo-mailbox.ts'
import { type DemoFileName, demoFile } from './files.ts'
import { type DemoOrganization, depsAt, depsIn } from './organization.ts'
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
    await deps.database.write(organization.orgId, async (tx) => {
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
  const { id: agentId = '', name: agentName } = deps.actor
  const inUnit = depsIn(deps, tx)
  const change = (change: InboxChange) => updateTicket(inUnit, orgId, { id: ticketId, change })
  switch (step.action) {
    case 'write':
      return void (await receiveCustomerMessage(deps, tx, orgId, { ticketId, text: step.text }))
    case 'reply': {
      const received = (step.mail?.files ?? []).flatMap((name) => stage.files.get(name) ?? [])
      const written = { text: step.text, format: 'markdown' as const, attachments: { received } }
      const { id } = await postAgentMessage(inUnit, orgId, { ticketId, agentId, agentName, ...written })
      return recordSent(deps, tx, { orgId, messageId: id })
    }
    case 'note': {
      const note = { id: deps.newId('not'), text: step.text, format: 'markdown' as const }
      return void (await putNote(inUnit, orgId, { ticketId, agentId, agentName, ...note }))
    }
    case 'assign':
      return change({ assignedTo: agentId, addTags: tags.get(step.ticket) ?? [] })
    case 'set status':
      return change({ status: step.status })
    case 'mark as spam':
      return change({ isSpam: true })
  }
}
