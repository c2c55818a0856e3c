import { expect, test } from 'bun:test'
import { scheduledMessages } from '../../server/database/tables/scheduled-messages.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { sendReply, textsOf } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const MORE_THAN_AT_ONCE = 60

test("replies that can't be sent, however many, don't delay later ones, and are tried once a second", async () => {
  const clock = createManualClock()
  await using stack = new AsyncDisposableStack()
  const bellhop = await startBellhop({ clock })
  stack.defer(bellhop.stop)
  const acme = await bellhop.organization()
  const other = await bellhop.organization('Other')
  const ben = await signInAgent(bellhop, acme.orgId)
  const { id: ticketId } = await makeTicket(acme)
  const now = clock.now()
  // No organization has this reply and its ticket, so sending it always fails.
  const broken = Array.from({ length: MORE_THAN_AT_ONCE }, () => ({
    id: bellhop.deps.newId('msg'),
    orgId: other.orgId,
    ticketId,
    agentId: ben.id,
    agentName: ben.name,
    text: 'Lost.',
    seenMessageId: 'msg_x',
    seenAt: 0,
    isForced: true,
    sendAt: now,
    createdAt: now,
  }))
  await bellhop.deps.database.write(undefined, async (tx) => {
    await tx.insert(scheduledMessages).values(broken)
  })
  await sendReply(ben, ticketId, { text: 'It is attached.' })
  clock.advance(10_000)
  await eventually(async () => {
    clock.advance(1_000)
    return (await textsOf(ben, ticketId)).length === 2
  })

  const failures = () => bellhop.logLines.filter((line) => line.includes('message_not_sent')).length
  const before = failures()
  for (let number = 0; number < 20; number += 1) await makeTicket(acme)
  // One round may have been under way.
  expect(failures()).toBeLessThanOrEqual(before + MORE_THAN_AT_ONCE)
})
