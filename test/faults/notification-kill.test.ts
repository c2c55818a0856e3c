import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { readConfig } from '../../server/config.ts'
import { notifications } from '../../server/database/tables/notifications.ts'
import { mentionMark } from '../../server/formatting/inline.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { clientWithKey } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { freshPlace } from '../support/engine.ts'
import { reservePort } from '../support/mail/ports.ts'
import { startProgram } from '../support/program.ts'
import { startPushService } from '../support/push-service.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const KILLS = 20
const EVENTS = 1_000
const WRITERS = 5
const MAX_LIFE_MS = 500
const AGENTS = 30
const PER_SECOND = 50
const SECONDS = 10

/** A server with agents who have a browser each, and agents who write notes. */
async function openServer(agentCount: number) {
  const service = await startPushService()
  const settings = {
    ...(await freshPlace()),
    PORT: String(reservePort()),
    BELLHOP_LOG: 'error',
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
  }
  const deps = await openDeps(readConfig(settings), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const url = `http://127.0.0.1:${settings.PORT}`
  const client = await clientWithKey(deps, url, orgId, { rateLimit: 1_000_000 })
  const agents: SignedInAgent[] = []
  for (let number = 0; number < agentCount; number++) agents.push(await signInAgent({ deps, url }, orgId))
  const writers: SignedInAgent[] = []
  for (let number = 0; number < WRITERS; number++) writers.push(await signInAgent({ deps, url }, orgId))
  await deps.database.close()
  let program = await startProgram(settings)
  return {
    service,
    client,
    agents,
    writers,
    newId: deps.newId,
    async restart() {
      await program.end('SIGKILL')
      program = await startProgram(settings)
    },
    /** What is stored, after the server has ended. */
    async stored() {
      await program.end('SIGTERM')
      const log = createLog('error', false, () => {}, Date.now)
      const reopened = await openDeps(readConfig(settings), { log })
      const rows = await reopened.database.read
        .select()
        .from(notifications)
        .where(eq(notifications.agentId, agents[0]?.id ?? ''))
      await reopened.database.close()
      return rows
    },
    async [Symbol.asyncDispose]() {
      await program.end('SIGKILL')
      await service.stop()
    },
  }
}

/** Writes a note that mentions the agent, again and again until the server has it. */
async function mention(by: SignedInAgent, ticketId: string, id: string, of: SignedInAgent, word: string) {
  const text = `${mentionMark({ of: 'agent', id: of.id, name: of.name })} ${word}`
  const body = { text, format: 'markdown' }
  for (;;) {
    const answer = await by
      .call('PUT', `/console/tickets/${ticketId}/notes/${id}`, { body })
      .catch(() => undefined)
    if (answer && answer.status < 300) return
    await Bun.sleep(20)
  }
}

test(`${KILLS} kills over ${EVENTS} events leave one row for each`, async () => {
  await using server = await openServer(1)
  const { client, agents, writers, service } = server
  const [ana] = agents
  if (!ana) throw new Error('There is no agent.')
  await service.subscribe(ana)
  const { id: ticketId } = await makeTicket(client)
  let left = EVENTS
  const writing = writers.map(async (writer) => {
    while (left-- > 0) await mention(writer, ticketId, server.newId('not'), ana, 'please look.')
  })
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(Math.random() * MAX_LIFE_MS)
    await server.restart()
  }
  await Promise.all(writing)
  // The server follows its log in order: once it has come to this mention, it has come to all of them.
  const [last, writer] = writers
  if (!last || !writer) throw new Error('There is no writer.')
  await service.subscribe(last)
  const { id: lastTicket } = await makeTicket(client)
  await mention(writer, lastTicket, server.newId('not'), last, 'the end.')
  await eventually(async () => {
    const { json } = await last.call<{ data: { reason: string }[] }>('GET', '/console/notifications')
    return json.data.some(({ reason }) => reason === 'mentioned')
  })
  const rows = (await server.stored()).filter(({ reason }) => reason === 'mentioned')
  expect(rows).toHaveLength(EVENTS)
  expect(new Set(rows.map(({ messageId }) => messageId)).size).toBe(EVENTS)
}, 300_000)

test(`${AGENTS} agents without a tab hear once of each of ${PER_SECOND} notes a second`, async () => {
  await using server = await openServer(AGENTS)
  const { client, agents, writers, service } = server
  const browsers: Awaited<ReturnType<typeof service.subscribe>>[] = []
  for (const agent of agents) {
    const body = { ways: { unassigned: { push: false } } }
    await agent.call('PATCH', '/console/me/notifications', { body })
    browsers.push(await service.subscribe(agent))
  }
  const ticketIds: string[] = []
  for (let number = 0; number < PER_SECOND * SECONDS; number++) ticketIds.push((await makeTicket(client)).id)
  const sentAt = new Map<string, number>()
  const sending: Promise<void>[] = []
  for (const [number, ticketId] of ticketIds.entries()) {
    const [writer, agent] = [writers[number % WRITERS], agents[number % AGENTS]]
    if (!writer || !agent) throw new Error('There is no agent.')
    sentAt.set(ticketId, Date.now())
    sending.push(mention(writer, ticketId, server.newId('not'), agent, `word ${number}`))
    await Bun.sleep(1_000 / PER_SECOND)
  }
  await Promise.all(sending)
  await eventually(() => service.requests.length >= ticketIds.length)
  const mentions = (await Promise.all(browsers.map((browser) => browser.received()))).flat()
  const waits = mentions
    .map(({ payload, receivedAt }) => receivedAt - (sentAt.get(payload.notification.tag) ?? 0))
    .sort((one, other) => one - other)
  const p95 = waits[Math.floor(waits.length * 0.95)] ?? Number.POSITIVE_INFINITY
  const p50 = waits[Math.floor(waits.length / 2)] ?? 0
  process.stdout.write(`Note to push: ${p50} ms (p50), ${p95} ms (p95) of ${waits.length}.\n`)
  expect(mentions.map(({ payload }) => payload.notification.tag).sort()).toEqual(ticketIds.sort())
}, 300_000)
