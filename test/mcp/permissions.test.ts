import { afterAll, describe, expect, test } from 'bun:test'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { createProgram } from '../../server/agents/programs.ts'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { quoted, table } from '../docs/page.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { MARKER, makeFullOrganization } from '../support/full-organization.ts'
import { connectMcp, REVISIONS } from '../support/mcp.ts'
import { storedRows } from '../support/stored-rows.ts'
import { makeAndReadTicket, NO_TICKET } from '../support/tickets.ts'

// Which tools a caller sees, and whose data they reach.

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
const { url, deps } = bellhop
afterAll(() => bellhop.stop())

/** In the order in which they are listed. */
const SCOPES = {
  search_tickets: 'tickets:read',
  get_ticket: 'tickets:read',
  get_attachment: 'tickets:read',
  get_customer: 'customers:read',
  get_workspace: 'tickets:read',
  suggest_reply: 'suggestions:write',
  add_note: 'notes:write',
  update_ticket: 'tickets:write',
  create_ticket: 'tickets:write',
  send_reply: 'messages:write',
} as const
const TOOLS = Object.keys(SCOPES)

/** What the tools need, and what makes a ticket of it. */
interface Ids {
  ticket: string
  message: string
  customer: string
  attachment: string
}

function argumentsOf({ ticket, message, customer, attachment }: Ids): Record<string, object> {
  return {
    search_tickets: { query: ticket },
    get_ticket: { ticket },
    get_attachment: { attachment },
    get_customer: { id: customer },
    get_workspace: {},
    suggest_reply: { ticket, answers: message, text: 'x' },
    add_note: { ticket, text: 'x' },
    update_ticket: { ticket, status: 'resolved' },
    create_ticket: { subject: 'x', message: 'x', customer: { email: 'x@example.com' } },
    send_reply: { ticket, text: 'x', after: message },
  }
}

async function ownIds(owner: Client): Promise<Ids> {
  const { id, messages, customerId } = await makeAndReadTicket(owner)
  return { ticket: id, message: messages[0]?.id ?? '', customer: customerId, attachment: '' }
}

describe('the scopes of a key decide which tools there are', () => {
  test.each(REVISIONS.map((revision) => [revision] as const))(
    'full access, with revision %s',
    async (revision) => {
      const { key } = await bellhop.organization()
      const { toolNames } = await connectMcp({ url, key }, revision)
      expect(await toolNames()).toEqual(TOOLS)
    },
  )

  test.each(KEY_SCOPES.map((scope) => [scope] as const))('%s alone', async (scope) => {
    const owner = await bellhop.organization()
    const ids = await ownIds(owner)
    const { key } = await owner.withKey({ scopes: [scope] })
    const { toolNames, call } = await connectMcp({ url, key })
    const allowed = TOOLS.filter((name) =>
      Object.entries(SCOPES).some(([tool, needed]) => tool === name && needed === scope),
    )
    expect(await toolNames()).toEqual(allowed)
    const before = await storedRows(deps)
    for (const [name, args] of Object.entries(argumentsOf(ids))) {
      if (allowed.includes(name)) continue
      await expect(call(name, { ...args }), name).rejects.toThrow(`Tool ${name} not found`)
    }
    expect(await storedRows(deps)).toEqual(before)
  })

  test('a program that is disabled, and a key that is revoked, have none', async () => {
    const owner = await bellhop.organization()
    const program = await createProgram(deps, owner.orgId, { name: 'Bot' })
    const { key } = await owner.withKey({ program: program.id })
    const { toolNames } = await connectMcp({ url, key })
    await disableAgent(deps, owner.orgId, program.id)
    await expect(toolNames()).rejects.toThrow('program_disabled')
  })
})

describe('the tools say what they do', () => {
  test('which only read, which reach the customer, and what none of them takes: a recipient', async () => {
    const { key } = await bellhop.organization()
    const { client } = await connectMcp({ url, key })
    const { tools, ttlMs, cacheScope } = await client.listTools()
    expect([ttlMs, cacheScope]).toEqual([300_000, 'private'])
    const withHint = (hint: 'readOnlyHint' | 'destructiveHint' | 'openWorldHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name)
    expect(withHint('readOnlyHint')).toEqual(TOOLS.slice(0, 5))
    expect(withHint('destructiveHint')).toEqual(['send_reply'])
    expect(withHint('openWorldHint')).toEqual(['send_reply'])
    for (const { name, inputSchema, outputSchema, description, title } of tools) {
      expect([name, description?.length, title?.length].every(Boolean)).toBe(true)
      expect([inputSchema.additionalProperties, outputSchema?.additionalProperties]).toEqual([false, false])
      const written = JSON.stringify(inputSchema)
      if (name !== 'create_ticket' && name !== 'get_customer')
        expect(written).not.toMatch(/"(?:to|cc|bcc|recipients?|email|address(?:es)?)":/)
      // An older client would take a name for the address of a schema.
      expect(JSON.stringify({ inputSchema, outputSchema })).not.toMatch(
        /\$id|\$ref|"base"|"examples"|"const":"/,
      )
    }
  })

  test('as the guide has them, with their arguments and scopes', async () => {
    const { key } = await bellhop.organization()
    const { client } = await connectMcp({ url, key })
    const listed = (await client.listTools()).tools.map(({ name, inputSchema }) => [
      name,
      ...Object.keys(inputSchema.properties ?? {}).map((argument) =>
        inputSchema.required?.includes(argument) ? argument : `${argument}?`,
      ),
    ])
    const rows = table('Tool', 'What it does', 'Arguments', 'Scope')
    const documented = rows.map(([name = '', , args = '']) => [
      ...quoted(name),
      ...quoted(args.replace(/\(.*\)/, '')),
    ])
    expect(documented).toEqual(listed)
    expect(rows.map(([name = '', , , scope = '']) => [quoted(name)[0], quoted(scope)[0]])).toEqual(
      Object.entries(SCOPES),
    )
  })

  test('a recipient is refused as an unknown argument', async () => {
    const owner = await bellhop.organization()
    const ids = await ownIds(owner)
    const { call } = await connectMcp({ url, key: owner.key })
    for (const more of [{ to: ['eve@example.com'] }, { recipients: { to: [] } }, { cc: 'eve@example.com' }]) {
      const { error } = await call('send_reply', {
        ticket: ids.ticket,
        text: 'x',
        after: ids.message,
        ...more,
      })
      expect(error?.detail).toBe('Unknown argument. This tool takes ticket, text, after, sendAt.')
    }
  })
})

test('nothing of another organization is reached, with its ids', async () => {
  const { owned } = await makeFullOrganization(bellhop)
  const stranger = await bellhop.organization()
  const { key } = await stranger.withKey({ rateLimit: 1_000 })
  const { call } = await connectMcp({ url, key })
  const ids = {
    ticket: owned.ticket,
    message: owned.message,
    customer: owned.customer,
    attachment: owned.attachment,
  }
  const none = { ticket: NO_TICKET, message: ids.message, customer: 'usr_0', attachment: 'att_0' }
  const before = await storedRows(deps)
  for (const [name, args] of Object.entries(argumentsOf(ids))) {
    if (name === 'create_ticket') continue
    const answer = await call(name, { ...args })
    const ofNone = await call(name, { ...argumentsOf(none)[name] })
    expect(JSON.stringify(answer.result), name).not.toContain(MARKER)
    // As if there were no such thing.
    expect([name, answer.error, answer.data]).toEqual([name, ofNone.error, ofNone.data])
    if (!['search_tickets', 'get_workspace'].includes(name))
      expect(answer.error?.code, name).toBe('not_found')
  }
  const byOther = await call('get_customer', { address: `carla.${MARKER}@example.com` })
  expect(byOther.error?.code).toBe('not_found')
  const { error } = await call('update_ticket', { ticket: ids.ticket, assignedTo: owned.agent })
  expect(error?.code).toBe('not_found')
  expect(await storedRows(deps)).toEqual(before)
})
