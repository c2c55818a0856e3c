import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { signInAgent } from '../support/agents.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { connectMcp } from '../support/mcp.ts'
import {
  askForTokens,
  authorizeQuery,
  CALLBACK,
  connect,
  consent,
  listTools,
  newClient,
  newCode,
  newVerifier,
  refresh,
  register,
  SCOPES,
  type Tokens,
} from '../support/oauth.ts'
import { storedRows } from '../support/stored-rows.ts'
import { makeAndReadTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const client = await bellhop.organization()
const { orgId, call: callV1, key } = client
const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

interface Programs {
  data: { id: string; name: string; host: string; scopes: string[]; lastUsedAt: string | null }[]
}
interface Refusal {
  error: string
}

function programsOf(agent: typeof ana): Promise<Programs['data']> {
  return agent.call<Programs>('GET', '/console/connected-programs').then(({ json }) => json.data)
}

test('a program that an agent allows gets tokens, and reads with them as the agent', async () => {
  const agent = await signInAgent(bellhop, orgId, { name: 'Ben' })
  const tokens = await connect(bellhop, agent, { scopes: ['tickets:read'] })
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'tickets:read' })

  const { call: callTool, toolNames } = await connectMcp({
    url: bellhop.url,
    key: tokens.access_token,
    path: '/mcp',
  })
  const names = await toolNames()
  expect(names).toContain('search_tickets')
  expect(names).not.toContain('add_note')
  expect((await callTool('search_tickets')).data).toMatchObject({ tickets: [] })
  expect(await programsOf(agent)).toMatchObject([
    { name: 'Helper', host: 'localhost', scopes: ['tickets:read'], lastUsedAt: expect.any(String) },
  ])
})

test('with all that a program asks for by default, it has the tools of a key with full access', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const tokens = await connect(bellhop, agent)
  const program = await connectMcp({ url: bellhop.url, key: tokens.access_token, path: '/mcp' })
  const ofKey = await connectMcp({ url: bellhop.url, key })
  expect(await program.toolNames()).toEqual(await ofKey.toolNames())
  for (const scope of SCOPES.split(' ')) {
    const others = SCOPES.split(' ').filter((one) => one !== scope)
    const less = await connect(bellhop, agent, { scopes: others })
    const names = await (
      await connectMcp({ url: bellhop.url, key: less.access_token, path: '/mcp' })
    ).toolNames()
    // Notes are a part of a ticket.
    const isOfTool = scope !== 'notes:read'
    expect([scope, names.length < (await ofKey.toolNames()).length]).toEqual([scope, isOfTool])
  }
})

test('the answer names the issuer and has the state, whether the agent allows or denies', async () => {
  const client_id = await newClient(bellhop)
  const query = authorizeQuery(bellhop, { client_id, code_challenge: newVerifier().challenge })
  const allowed = await consent(ana, query, ['tickets:read'])
  expect(allowed.origin + allowed.pathname).toBe(CALLBACK)
  expect(Object.fromEntries(allowed.searchParams)).toEqual({
    code: expect.stringMatching(/^bellhop_oc_[\w-]{43}$/),
    state: 'a state/of the program',
    iss: `${bellhop.url}/oauth`,
  })
  const denied = await consent(ana, query)
  expect(Object.fromEntries(denied.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'a state/of the program',
    iss: `${bellhop.url}/oauth`,
  })
  expect(denied.searchParams.has('code')).toBe(false)
})

const WRONG_REQUESTS: [what: string, parameters: Record<string, string | undefined>, error: string][] = [
  ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['with PKCE that names no method', { code_challenge_method: undefined }, 'invalid_request'],
  ['with a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
  ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ['without a resource', { resource: undefined }, 'invalid_target'],
  ['for a token in the redirect', { response_type: 'token' }, 'unsupported_response_type'],
  ['for scopes that no program gets', { scope: 'erase import:write endpoints:write' }, 'invalid_scope'],
]

test('a wrong request is answered to the program, and nothing is granted', async () => {
  const client_id = await newClient(bellhop)
  const agent = await signInAgent(bellhop, orgId)
  for (const [what, parameters, error] of WRONG_REQUESTS) {
    const { challenge } = newVerifier()
    const query = authorizeQuery(bellhop, { client_id, code_challenge: challenge, ...parameters })
    const asked = await agent.call('POST', '/console/connected-programs/request', { body: { query } })
    expect([what, asked.json.scopes]).toEqual([what, []])
    const back = await consent(agent, query, ['tickets:read'])
    expect([what, back.searchParams.get('error'), back.searchParams.get('code')]).toEqual([what, error, null])
    expect(back.searchParams.get('state')).toBe('a state/of the program')
  }
  expect(await programsOf(agent)).toEqual([])
})

test('no one is sent to an address that the program has not named', async () => {
  const { client_id } = (
    await register(bellhop, { redirect_uris: ['https://helper.example/back?to=1', CALLBACK] })
  ).json
  const { challenge } = newVerifier()
  const wrong = [
    'https://helper.example/back',
    'https://helper.example/back?to=1&more',
    'https://helper.example.evil.example/back?to=1',
    'https://helper.example:444/back?to=1',
    'http://helper.example/back?to=1',
    'http://127.0.0.1:53682/callback/',
    'http://localhost:53682/callback',
    'https://127.0.0.1:53682/callback',
    'http://127.0.0.1:53682/callback#part',
    'http://127.0.0.1@evil.example/callback',
    'http://127.1:53682/callback',
    'http://127.0.0.1:53682/a/../callback',
    'http://127.0.0.1:53682/%63allback',
    'http:127.0.0.1:53682/callback',
    'HTTP://127.0.0.1:53682/callback',
    'https:helper.example/back?to=1',
    'javascript:alert(1)',
    undefined,
  ]
  for (const redirect_uri of wrong) {
    const query = authorizeQuery(bellhop, { client_id, code_challenge: challenge, redirect_uri })
    for (const path of ['/console/connected-programs/request', '/console/connected-programs']) {
      const { status, json } = await ana.call('POST', path, {
        body: { query, ...(path.endsWith('s') && { scopes: ['tickets:read'] }) },
      })
      expect([redirect_uri, status, json.code]).toEqual([redirect_uri, 400, 'wrong_redirect'])
      expect(json.returnTo).toBeUndefined()
    }
  }
  // A program on the agent's machine takes a free port each time.
  const redirect_uri = 'http://127.0.0.1:1234/callback'
  const query = authorizeQuery(bellhop, { client_id, code_challenge: challenge, redirect_uri })
  expect((await consent(ana, query, ['tickets:read'])).origin).toBe('http://127.0.0.1:1234')
})

test('an unknown client is refused', async () => {
  const known = await newClient(bellhop)
  const { challenge } = newVerifier()
  for (const client_id of ['nobody', 'bellhop_client_', `${known.slice(0, -4)}AAAA`, undefined]) {
    const query = authorizeQuery(bellhop, { client_id, code_challenge: challenge })
    const { status, json } = await ana.call('POST', '/console/connected-programs/request', {
      body: { query },
    })
    expect([client_id, status, json.code]).toEqual([client_id, 400, 'unknown_client'])
  }
})

test('a code is redeemed only by its program, in time, and as it was asked for', async () => {
  const code = await newCode(bellhop, ana)
  const wrong: [Record<string, string | undefined>, string][] = [
    [{ code_verifier: newVerifier().verifier }, 'invalid_grant'],
    [{ code_verifier: undefined }, 'invalid_request'],
    [{ redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    [{ redirect_uri: undefined }, 'invalid_request'],
    [{ client_id: await newClient(bellhop) }, 'invalid_grant'],
    [{ client_id: undefined }, 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ resource: undefined }, 'invalid_target'],
    [{ code: 'bellhop_oc_nothing' }, 'invalid_grant'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
  ]
  for (const [change, error] of wrong) {
    const { status, json, headers } = await askForTokens<Refusal>(bellhop, { ...code, ...change })
    expect([change, status, json.error]).toEqual([change, 400, error])
    expect(headers.get('cache-control')).toBe('no-store')
  }
  expect((await askForTokens(bellhop, code)).status).toBe(200)

  const late = await newCode(bellhop, ana)
  clock.advance(5 * MINUTE_MS)
  expect((await askForTokens<Refusal>(bellhop, late)).json.error).toBe('invalid_grant')
})

test('the second use of a code ends what the first one got', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const code = await newCode(bellhop, agent)
  const first = await askForTokens(bellhop, code)
  expect((await listTools(bellhop, first.json.access_token)).status).toBe(200)
  const second = await askForTokens<Refusal>(bellhop, { ...code, code_verifier: 'a'.repeat(43) })
  expect([second.status, second.json.error]).toEqual([400, 'invalid_grant'])
  expect((await listTools(bellhop, first.json.access_token)).status).toBe(401)
  expect(await programsOf(agent)).toEqual([])
})

test('a code that two requests redeem at the same moment gives tokens at most once, and those are ended', async () => {
  const code = await newCode(bellhop, ana)
  const answers = await Promise.all(Array.from({ length: 8 }, () => askForTokens(bellhop, code)))
  const [only, ...others] = answers.filter(({ status }) => status === 200)
  expect(others).toEqual([])
  expect((await listTools(bellhop, only?.json.access_token)).status).toBe(401)
})

test('a refresh token works once; its second use ends the grant', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const tokens = await connect(bellhop, agent)
  const next = await refresh(bellhop, tokens)
  expect(next.json.refresh_token).not.toBe(tokens.refresh_token)
  expect((await listTools(bellhop, next.json.access_token)).status).toBe(200)

  const again = await refresh<Refusal>(bellhop, tokens)
  expect([again.status, again.json.error]).toEqual([400, 'invalid_grant'])
  expect((await listTools(bellhop, next.json.access_token)).status).toBe(401)
  const newest = { ...next.json, clientId: tokens.clientId }
  expect((await refresh<Refusal>(bellhop, newest)).json.error).toBe('invalid_grant')
  expect(await programsOf(agent)).toEqual([])
  const audit = await ana.call<{ data: { action: string; detail: unknown }[] }>('GET', '/console/audit')
  expect(audit.json.data[0]).toMatchObject({ action: 'program.disconnected', detail: { by: 'reuse' } })
})

test('another program can not use a refresh token, nor ask for more than was granted', async () => {
  const tokens = await connect(bellhop, ana, { scopes: ['tickets:read'] })
  const stranger = { ...tokens, clientId: await newClient(bellhop) }
  expect((await refresh<Refusal>(bellhop, stranger)).json.error).toBe('invalid_grant')
  const form = {
    grant_type: 'refresh_token',
    client_id: tokens.clientId,
    refresh_token: tokens.refresh_token,
  }
  const more = await askForTokens<Refusal>(bellhop, { ...form, scope: 'tickets:read messages:write' })
  expect(more.json.error).toBe('invalid_scope')
  const nowhere = await askForTokens<Refusal>(bellhop, { ...form, resource: undefined })
  expect(nowhere.json.error).toBe('invalid_target')
  expect((await refresh(bellhop, tokens)).json.scope).toBe('tickets:read')
})

test('without a token, the answer says where to sign in', async () => {
  const { status, headers } = await listTools(bellhop)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${bellhop.url}/.well-known/oauth-protected-resource/mcp"`,
  )
})

test('tokens work only at /mcp, and keys and sessions not there', async () => {
  const tokens = await connect(bellhop, await signInAgent(bellhop, orgId))
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  expect((await callV1('GET', '/tickets', { headers })).status).toBe(401)
  expect((await call('GET', `${bellhop.url}/console/session`, { headers })).status).toBe(401)
  expect((await listTools(bellhop, tokens.access_token, '/mcp/key')).status).toBe(401)
  expect((await listTools(bellhop, tokens.refresh_token)).status).toBe(401)
  expect((await listTools(bellhop, key)).status).toBe(401)
  const inBrowser = await ana.call('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
  expect(inBrowser.status).toBe(401)
})

test('a program can do only what is offered now, whatever it was granted', async () => {
  const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
  const tokens = await connect(bellhop, agent, { scopes: ['tickets:read'] })
  const [listed] = await programsOf(agent)
  const { programGrants } = await import('../../server/database/tables/sessions.ts')
  await bellhop.deps.database.write(orgId, (tx) =>
    tx
      .update(programGrants)
      .set({ scopes: ['tickets:read', 'erase'] })
      .where(eq(programGrants.id, listed?.id ?? '')),
  )
  expect((await refresh(bellhop, tokens)).json.scope).toBe('tickets:read')
  expect((await programsOf(agent))[0]?.scopes).toEqual(['tickets:read'])
})

test('no agent is asked for what does nothing in the tools, nor can they allow it', async () => {
  const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
  const client_id = await newClient(bellhop)
  const query = authorizeQuery(bellhop, {
    client_id,
    code_challenge: newVerifier().challenge,
    scope: 'tickets:read customers:write agents:read endpoints:read erase unknown offline_access',
  })
  const asked = await agent.call('POST', '/console/connected-programs/request', { body: { query } })
  expect(asked.json.scopes).toEqual([
    { scope: 'tickets:read', isByDefault: true },
    { scope: 'agents:read', isByDefault: true },
  ])
  const scopes = ['tickets:read', 'customers:write', 'endpoints:read', 'erase', 'messages:write']
  expect((await connect(bellhop, agent, { scopes })).scope).toBe('tickets:read messages:write')
})

test('a program is listed once it has its tokens', async () => {
  // So that as many programs can register again.
  clock.advance(MINUTE_MS)
  const agent = await signInAgent(bellhop, orgId)
  const code = await newCode(bellhop, agent)
  expect(await programsOf(agent)).toEqual([])
  await askForTokens(bellhop, code)
  expect(await programsOf(agent)).toMatchObject([{ name: 'Helper' }])
})

test('a program that an agent connects again keeps the first connection, which may be on another device', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const clientId = await newClient(bellhop)
  const first = await connect(bellhop, agent, { clientId })
  const second = await connect(bellhop, agent, { clientId })
  for (const { access_token } of [first, second]) {
    expect((await listTools(bellhop, access_token)).status).toBe(200)
  }
  expect(await programsOf(agent)).toHaveLength(2)
})

test('sending messages has to be chosen', async () => {
  const query = authorizeQuery(bellhop, {
    client_id: await newClient(bellhop),
    code_challenge: newVerifier().challenge,
  })
  const { json } = await ana.call<{ scopes: { scope: string; isByDefault: boolean }[] }>(
    'POST',
    '/console/connected-programs/request',
    { body: { query } },
  )
  const off = json.scopes.filter(({ isByDefault }) => !isByDefault)
  expect(off.map(({ scope }) => scope)).toEqual(['messages:write'])
  expect(json.scopes).toHaveLength(7)
})

test('a disabled agent takes their programs along, also when they come back', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const tokens = await connect(bellhop, agent)
  const waiting = await newCode(bellhop, agent)
  await ana.call('POST', `/console/agents/${agent.id}/disable`)
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(401)
  expect((await refresh<Refusal>(bellhop, tokens)).json.error).toBe('invalid_grant')
  expect((await askForTokens<Refusal>(bellhop, waiting)).json.error).toBe('invalid_grant')
  await ana.call('POST', `/console/agents/${agent.id}/enable`)
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(401)
})

test('agents disconnect their own programs, administrators those of everyone, and no one those of others', async () => {
  const ben = await signInAgent(bellhop, orgId, { name: 'Ben' })
  const cleo = await signInAgent(bellhop, orgId, { name: 'Cleo' })
  const stranger = await signInAgent(bellhop, (await bellhop.organization('Other')).orgId, { role: 'admin' })
  const tokens = await connect(bellhop, ben)
  const others = await connect(bellhop, ben)
  const [newer, older] = await programsOf(ben)
  const path = `/console/connected-programs/${older?.id}`
  for (const agent of [cleo, stranger]) {
    expect(await programsOf(agent)).toEqual([])
    expect((await agent.call('DELETE', path)).status).toBe(404)
  }
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(200)

  expect((await ben.call('DELETE', path)).status).toBe(204)
  expect((await ben.call('DELETE', path)).status).toBe(404)
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(401)
  expect((await programsOf(ana)).map(({ id }) => id)).toContain(newer?.id ?? '')
  expect((await ana.call('DELETE', `/console/connected-programs/${newer?.id}`)).status).toBe(204)
  expect((await listTools(bellhop, others.access_token)).status).toBe(401)

  const audit = await ana.call<{ data: { action: string; actor: { name: string }; detail: unknown }[] }>(
    'GET',
    '/console/audit?limit=4',
  )
  expect(
    audit.json.data.map(({ action, actor, detail }) => ({ action, name: actor.name, detail })),
  ).toMatchObject([
    { action: 'program.disconnected', name: 'Ana', detail: { by: 'admin' } },
    { action: 'program.disconnected', name: 'Ben', detail: { by: 'agent' } },
    { action: 'program.connected', name: 'Ben', detail: { host: 'localhost' } },
    { action: 'program.connected', name: 'Ben' },
  ])
})

test('a program that signs out ends its own access, and not that of others', async () => {
  const tokens = await connect(bellhop, await signInAgent(bellhop, orgId))
  const revoke = (token: string, client_id: string) =>
    call<Refusal>('POST', `${bellhop.url}/oauth/revoke`, {
      raw: String(new URLSearchParams({ token, client_id })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const wrong = await revoke(tokens.access_token, await newClient(bellhop))
  expect([wrong.status, wrong.json.error]).toEqual([401, 'invalid_client'])
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(200)
  expect((await revoke(tokens.refresh_token, tokens.clientId)).status).toBe(200)
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(401)
  expect((await revoke(tokens.refresh_token, tokens.clientId)).status).toBe(200)
})

test('a program sees only the tickets of the organization of its agent', async () => {
  const other = await bellhop.organization('Other')
  const theirs = await signInAgent(bellhop, other.orgId, { role: 'admin' })
  const ticket = { subject: 'Ours', message: 'Hello', customer: { email: 'cleo@example.com' } }
  const { json } = await callV1<{ id: string }>('POST', '/tickets', { body: ticket })
  const subjects = []
  for (const agent of [ana, theirs]) {
    const { access_token } = await connect(bellhop, agent)
    const program = await connectMcp({ url: bellhop.url, key: access_token, path: '/mcp' })
    const { data } = await program.call<{ tickets: unknown[] }>('search_tickets')
    const one = await program.call('get_ticket', { ticket: json.id })
    subjects.push([data.tickets.length, one.error?.code])
  }
  expect(subjects).toEqual([
    [1, undefined],
    [0, 'not_found'],
  ])
})

test('what a program does is done by its agent, and counts for the program alone', async () => {
  const agent = await signInAgent(bellhop, orgId, { name: 'Dana' })
  const [one, another] = [await connect(bellhop, agent), await connect(bellhop, agent)]
  const program = await connectMcp({ url: bellhop.url, key: one.access_token, path: '/mcp' })
  const { data } = await program.call<{ id: string }>('create_ticket', {
    subject: 'Lamp',
    message: 'It flickers.',
    customer: { email: 'eli@example.com' },
  })
  await program.call('add_note', { ticket: data.id, text: 'Ask for the model.' })
  const { json } = await callV1<{ data: unknown[] }>('GET', `/tickets/${data.id}/notes`)
  expect(json.data).toMatchObject([{ agentId: agent.id, agentName: 'Dana' }])

  const left = async (token: string) =>
    Number((await listTools(bellhop, token)).headers.get('x-ratelimit-remaining'))
  expect(await left(one.access_token)).toBeLessThan((await left(another.access_token)) - 1)
  expect((await listTools(bellhop, one.access_token)).headers.get('x-ratelimit-limit')).toBe('300')
})

/** A ticket with a question, and two programs of an agent that are connected to `/mcp`. */
async function openTicketWithPrograms(agentName: string) {
  const agent = await signInAgent(bellhop, orgId, { name: agentName })
  const ticket = await makeAndReadTicket(client)
  const programs = []
  for (const client_name of ['Claude', 'ChatGPT']) {
    const clientId = (await register(bellhop, { client_name })).json.client_id
    const { access_token: token } = await connect(bellhop, agent, { clientId })
    programs.push(await connectMcp({ url: bellhop.url, key: token, path: '/mcp' }))
  }
  const [claude, chatGpt] = programs
  if (!claude || !chatGpt) throw new Error('There are two programs.')
  return { agent, claude, chatGpt, ticket: ticket.id, question: ticket.messages[0]?.id ?? '' }
}

test('each program of an agent suggests under its own name, and replaces only its own suggestion', async () => {
  clock.advance(MINUTE_MS)
  const { agent, claude, chatGpt, ticket, question } = await openTicketWithPrograms('Ada Pires')
  const written = { ticket, answers: question }
  await claude.call('suggest_reply', { ...written, text: 'First.' })
  await chatGpt.call('suggest_reply', { ...written, text: 'Second.' })
  await claude.call('suggest_reply', { ...written, text: 'Third.' })

  const grants = new Map((await programsOf(agent)).map(({ name, id }) => [name, id]))
  const byOf = (name: string) => ({ kind: 'program', id: grants.get(name), name: `${name} for Ada Pires` })
  const [ofClaude, ofChatGpt] = [byOf('Claude'), byOf('ChatGPT')]
  expect(ofClaude.id).toMatch(/^grt_/)
  const { json } = await callV1<{ data: unknown[] }>('GET', `/tickets/${ticket}/suggestions`)
  expect(json.data).toMatchObject([
    { state: 'open', text: 'Third.', by: ofClaude },
    { state: 'open', text: 'Second.', by: ofChatGpt },
    { state: 'superseded', text: 'First.', by: ofClaude },
  ])
  const shown = await agent.call<{ suggestions: unknown[] }>('GET', `/console/tickets/${ticket}`)
  expect(shown.json.suggestions).toMatchObject([{ by: ofClaude }, { by: ofChatGpt }])
  const events = await callV1<{ data: { event: string; ticketId?: string }[] }>('GET', '/events?limit=100')
  const ofTicket = events.json.data.filter(
    ({ event, ticketId }) => event.startsWith('suggestion.') && ticketId === ticket,
  )
  expect(ofTicket).toMatchObject([
    { event: 'suggestion.added', by: ofClaude },
    { event: 'suggestion.added', by: ofChatGpt },
    { event: 'suggestion.closed', by: ofClaude },
    { event: 'suggestion.added', by: ofClaude },
  ])

  await agent.call('DELETE', `/console/connected-programs/${ofClaude.id}`)
  const later = await callV1<{ data: { by: object }[] }>('GET', `/tickets/${ticket}/suggestions`)
  expect(later.json.data[0]?.by).toEqual({ kind: 'program', id: ofClaude.id })
})

test('threads tell what a program did from what its agent did; customers see the agent', async () => {
  clock.advance(MINUTE_MS)
  const { agent, claude, ticket, question } = await openTicketWithPrograms('Ada Pires')
  await claude.call('update_ticket', { ticket, addTags: ['lamp'] })
  await agent.call('PATCH', `/v1/tickets/${ticket}`, { body: { assignedTo: agent.id } })
  await claude.call('add_note', { ticket, text: 'Ask for the model.' })
  const reply = { ticket, text: 'Which model is it?', after: question }
  const { data } = await claude.call<{ id: string }>('send_reply', reply)

  const { json } = await agent.call<{ timeline: { kind: string; actor?: { name: string } }[] }>(
    'GET',
    `/console/tickets/${ticket}`,
  )
  const activity = json.timeline.filter(({ kind }) => kind === 'activity')
  expect(activity.map(({ actor }) => actor)).toMatchObject([
    { kind: 'agent', id: agent.id, name: 'Ada Pires via Claude' },
    { kind: 'agent', id: agent.id, name: 'Ada Pires' },
  ])
  const message = await callV1('GET', `/tickets/${ticket}/messages/${data.id}`)
  expect(message.json).toMatchObject({ agentName: 'Ada Pires' })
  const notes = await callV1<{ data: unknown[] }>('GET', `/tickets/${ticket}/notes`)
  expect(notes.json.data).toMatchObject([{ agentName: 'Ada Pires' }])
})

test('the use of a program is recorded once a minute', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const { access_token } = await connect(bellhop, agent)
  const usedAt = async () => {
    await listTools(bellhop, access_token)
    return Date.parse((await programsOf(agent))[0]?.lastUsedAt ?? '')
  }
  const first = await usedAt()
  expect(first).toBe(clock.now())
  clock.advance(MINUTE_MS - 1)
  expect(await usedAt()).toBe(first)
  clock.advance(1)
  expect(await usedAt()).toBe(first + MINUTE_MS)
})

test('tokens are neither stored nor logged', async () => {
  const code = await newCode(bellhop, ana)
  const { json } = await askForTokens(bellhop, code)
  await listTools(bellhop, json.access_token)
  await refresh(bellhop, { ...json, clientId: code.client_id ?? '' })
  const rows = JSON.stringify(await storedRows(bellhop.deps))
  for (const secret of [code.code, code.code_verifier, json.access_token, json.refresh_token]) {
    expect(rows).not.toContain(String(secret))
    expect(bellhop.logLines.join('')).not.toContain(String(secret))
  }
})

test('consent needs the session of the agent and a page of this server', async () => {
  const query = authorizeQuery(bellhop, {
    client_id: await newClient(bellhop),
    code_challenge: newVerifier().challenge,
  })
  const body = { query, scopes: ['tickets:read'] }
  const url = `${bellhop.url}/console/connected-programs`
  expect((await call('POST', url, { body })).status).toBe(401)
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  expect((await ana.call('POST', '/console/connected-programs', { body, headers })).json.code).toBe(
    'cross_origin',
  )
})

test('an agent keeps 50 programs: the one that was not used for longest makes room', async () => {
  const agent = await signInAgent(bellhop, orgId)
  const clientId = await newClient(bellhop)
  const first = await connect(bellhop, agent, { clientId })
  clock.advance(1_000)
  const second = await connect(bellhop, agent, { clientId })
  clock.advance(1_000)
  expect((await listTools(bellhop, first.access_token)).status).toBe(200)
  for (let number = 2; number < 51; number += 1) {
    clock.advance(1_000)
    await connect(bellhop, agent, { clientId })
  }
  expect(await programsOf(agent)).toHaveLength(50)
  expect((await listTools(bellhop, first.access_token)).status).toBe(200)
  expect((await listTools(bellhop, second.access_token)).status).toBe(401)
})

test('a program can not get new tokens without end', async () => {
  let tokens: Tokens & { clientId: string } = await connect(bellhop, await signInAgent(bellhop, orgId))
  for (let number = 0; number < 60; number += 1) {
    tokens = { ...tokens, ...(await refresh(bellhop, tokens)).json }
  }
  const refused = await refresh(bellhop, tokens)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.any(String)])
  clock.advance(HOUR_MS)
  expect((await refresh(bellhop, tokens)).status).toBe(200)
})

test('access tokens last an hour, and refresh tokens 30 days from their last use', async () => {
  const agent = await signInAgent(bellhop, orgId)
  let tokens = await connect(bellhop, agent)
  clock.advance(HOUR_MS - 1)
  expect((await listTools(bellhop, tokens.access_token)).status).toBe(200)
  clock.advance(1)
  const expired = await listTools(bellhop, tokens.access_token)
  expect(expired.status).toBe(401)
  expect(expired.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", resource_metadata="${bellhop.url}/.well-known/oauth-protected-resource/mcp"`,
  )
  for (let month = 0; month < 3; month += 1) {
    clock.advance(29 * 24 * HOUR_MS)
    tokens = { ...tokens, ...(await refresh(bellhop, tokens)).json }
  }
  clock.advance(30 * 24 * HOUR_MS)
  expect((await refresh<Refusal>(bellhop, tokens)).json.error).toBe('invalid_grant')
})

test('what has expired is deleted', async () => {
  const agent = await signInAgent(bellhop, orgId)
  await connect(bellhop, agent)
  await newCode(bellhop, agent)
  const count = async () => {
    const { grantTokens, programGrants } = await import('../../server/database/tables/sessions.ts')
    const { read } = bellhop.deps.database
    return (await read.select().from(grantTokens)).length + (await read.select().from(programGrants)).length
  }
  expect(await count()).toBeGreaterThan(0)
  clock.advance(31 * 24 * HOUR_MS)
  await eventually(async () => {
    // Nothing is deleted for an hour after the clock has moved so far.
    clock.advance(10 * MINUTE_MS)
    return (await count()) === 0
  })
})
