import { afterAll, expect, test } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop({ settings: { BELLHOP_ATTACHMENT_LIMIT: '10MB' } })
afterAll(() => bellhop.stop())

interface Me {
  organization: { id: string; name: string }
  key: { name: string; scopes: string[]; agent: { id: string; name: string } | null }
  limits: Record<string, number>
  newestEvent: string
  version: string
}

test('a key learns its organization, its scopes, its limits and the version', async () => {
  const acme = await bellhop.organization('Acme')
  const reader = await acme.withKey({ name: 'Mirror', scopes: ['tickets:read', 'erase'], rateLimit: 60 })
  const { newestEvent, version, ...others } = await me(reader)
  expect(others).toEqual({
    organization: { id: acme.orgId, name: 'Acme' },
    key: { name: 'Mirror', scopes: ['tickets:read', 'erase'], agent: null },
    limits: { requestsPerMinute: 60, attachmentBytes: 10 * 1024 * 1024, attachmentsPerMessage: 50 },
  })
  expect([typeof newestEvent, version]).toEqual(['string', expect.stringMatching(/^\d+\./)])
})

test('full access is a list without the scopes that a key has only by name', async () => {
  const acme = await bellhop.organization()
  const { key, limits } = await me(acme)
  expect(key.scopes).toEqual(expect.arrayContaining(['tickets:read', 'tickets:write', 'notes:read']))
  for (const scope of ['endpoints:write', 'import:write', 'erase']) expect(key.scopes).not.toContain(scope)
  expect(limits.requestsPerMinute).toBe(bellhop.deps.config.rateLimit)
})

test('a key of a program has its own name and its program, and a signed-in agent is one', async () => {
  const acme = await bellhop.organization()
  const program = await createProgram(bellhop.deps, acme.orgId, { name: 'Answer bot' })
  const bot = await acme.withKey({ name: 'Server', program: program.id })
  expect((await me(bot)).key).toMatchObject({ name: 'Server', agent: { id: program.id, name: 'Answer bot' } })
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben', role: 'admin' })
  const { json } = await ben.call<Me>('GET', '/v1/me')
  expect(json.key).toMatchObject({ name: 'Ben', agent: { id: ben.id, name: 'Ben' } })
  expect(json.key.scopes).toContain('erase')
})

test('the newest event moves with each change of the organization, and with no other’s', async () => {
  const [acme, other] = [await bellhop.organization(), await bellhop.organization('Other')]
  const before = await me(acme)
  await makeTicket(other)
  expect((await me(acme)).newestEvent).toBe(before.newestEvent)
  await makeTicket(acme)
  expect((await me(acme)).newestEvent).not.toBe(before.newestEvent)
})

async function me(client: Client): Promise<Me> {
  const answer = await client.call<Me>('GET', '/me')
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}
