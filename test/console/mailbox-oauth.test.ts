import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { openImap } from '../../server/channels/email/imap/imap-session.ts'
import { createMailDialer } from '../../server/channels/email/mail-account.ts'
import { mailAccountOf } from '../../server/channels/email/mailboxes/mailbox-accounts.ts'
import { readMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { accessTokenOf } from '../../server/channels/email/oauth/oauth-tokens.ts'
import { auditEntries } from '../../server/database/tables/audit.ts'
import { oauthClients } from '../../server/database/tables/mailboxes.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { type OauthServer, startOauthServer } from '../support/mail/oauth-server.ts'

const HOUR_MS = 3_600_000
const ADDRESS = 'support@acme.example'

// Only the wall clock moves, so that nothing connects to the mailboxes' servers.
const clock = createManualClock(Date.now())
let oauth: OauthServer
let bellhop: Bellhop

beforeAll(async () => {
  oauth = await startOauthServer({ now: clock.now })
  bellhop = await startBellhop({
    clock,
    settings: {
      BELLHOP_GOOGLE_OAUTH: new URL(oauth.tokenEndpoint).origin,
      BELLHOP_MAIL_ALLOW: '127.0.0.0/8',
      BELLHOP_MAIL_CA: await writeCaFile(),
    },
  })
})
afterAll(async () => {
  await bellhop.stop()
  await oauth.stop()
})

interface Shown {
  id: string
  state: string
  detail: string
  isSignedIn: boolean
}

async function desk({ hasClient = true } = {}) {
  const { orgId } = await bellhop.organization()
  const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const { clientId, clientSecret } = oauth
  const saveClient = (body: object = { clientId, clientSecret }) =>
    ana.call('PUT', '/console/oauth-clients/google', { body })
  if (hasClient) expect((await saveClient()).status).toBe(200)
  const made = await ana.call<Shown>('POST', '/console/mailboxes', {
    body: { name: 'Support', address: ADDRESS, signIn: 'google' },
  })
  const { id } = made.json
  const shown = async () => (await ana.call<Shown>('GET', `/console/mailboxes/${id}`)).json
  const mailbox = () => readMailbox(bellhop.deps, orgId, id)
  const dialer = createMailDialer(bellhop.deps)
  const token = async (more?: { maxAgeMs: number }) =>
    accessTokenOf(bellhop.deps, dialer, await mailbox(), more)
  const problems = async () =>
    (await ana.call<{ data: object[] }>('GET', '/console/mailboxes/problems')).json.data
  return { orgId, ana, id, made: made.json, shown, mailbox, dialer, token, problems, saveClient }
}

/** Opens the provider's page and comes back. Answers where the browser ends. */
async function signIn(agent: SignedInAgent, id: string, user = ADDRESS, body: object = {}): Promise<string> {
  const started = await agent.call<{ url: string }>('POST', `/console/mailboxes/${id}/sign-in`, { body })
  expect(started.status, started.text).toBe(200)
  oauth.signIn(user)
  return comeBack(agent, await oauth.consent(started.json.url))
}

async function comeBack(agent: SignedInAgent, { pathname, search }: URL): Promise<string> {
  const answer = await agent.call('GET', pathname + search)
  expect(answer.status).toBe(303)
  return answer.headers.get('location') ?? ''
}

test("a mailbox at Google is connected under the organization's own client, with PKCE", async () => {
  const { ana, id, made, shown, problems, token } = await desk()
  expect(made).toMatchObject({
    state: 'refused',
    detail: 'Sign in with Google to connect this mailbox.',
    isSignedIn: false,
    imap: { host: 'imap.gmail.com', port: 993, security: 'tls', user: ADDRESS },
    smtp: { host: 'smtp.gmail.com', port: 465, security: 'tls', user: ADDRESS },
  })
  // It is unfinished, but nothing is broken.
  expect(await problems()).toEqual([])
  const resumed = await ana.call('POST', `/console/mailboxes/${id}/resume`)
  expect(resumed.json).toMatchObject({ status: 409, code: 'sign_in_required' })
  const started = await ana.call<{ url: string }>('POST', `/console/mailboxes/${id}/sign-in`, { body: {} })
  const { searchParams } = new URL(started.json.url)
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: 'code',
    client_id: oauth.clientId,
    redirect_uri: `${bellhop.url}/console/oauth/callback`,
    scope: 'https://mail.google.com/',
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
    login_hint: ADDRESS,
  })
  expect(started.text).not.toContain(oauth.clientSecret)
  expect(await signIn(ana, id)).toBe(`/settings/email/${id}?sign-in=done`)
  expect(await shown()).toMatchObject({ state: 'connecting', isSignedIn: true })
  expect(oauth.accepts(ADDRESS, await token())).toBe(true)
})

test('the redirect URL to register is shown, and the client without its secret', async () => {
  const { ana, orgId } = await desk()
  const list = await ana.call('GET', '/console/oauth-clients')
  expect(list.json).toEqual({
    data: [{ provider: 'google', clientId: oauth.clientId, tenant: '', updatedAt: expect.any(String) }],
    redirectUrl: `${bellhop.url}/console/oauth/callback`,
  })
  const [stored] = await bellhop.deps.database.read
    .select()
    .from(oauthClients)
    .where(eq(oauthClients.orgId, orgId))
  expect(Buffer.from(stored?.clientSecret ?? '').includes(oauth.clientSecret)).toBe(false)
})

test('a stored client secret stays with its client', async () => {
  const { ana, saveClient } = await desk()
  expect((await saveClient({ clientId: oauth.clientId })).status).toBe(200)
  expect((await saveClient({ clientId: 'another' })).json).toMatchObject({
    status: 400,
    errors: [{ pointer: '/clientSecret', code: 'required' }],
  })
  expect((await saveClient({ clientId: ' ', clientSecret: 'zwölf' })).json).toMatchObject({
    errors: [
      { pointer: '/clientId', code: 'invalid_client' },
      { pointer: '/clientSecret', code: 'invalid_client' },
    ],
  })
  const tenant = await ana.call('PUT', '/console/oauth-clients/microsoft', {
    body: { clientId: 'client', clientSecret: 'secret', tenant: '../x' },
  })
  expect(tenant.json).toMatchObject({ errors: [{ pointer: '/tenant', code: 'invalid_tenant' }] })
  expect((await ana.call('PUT', '/console/oauth-clients/yahoo', { body: { clientId: 'x' } })).status).toBe(
    404,
  )
})

test('Microsoft asks for its own scopes, in the directory of the client', async () => {
  const { ana } = await desk()
  await ana.call('PUT', '/console/oauth-clients/microsoft', {
    body: { clientId: 'client', clientSecret: 'secret', tenant: 'acme.example' },
  })
  const made = await ana.call<Shown>('POST', '/console/mailboxes', {
    body: { name: 'Sales', address: 'sales@acme.example', signIn: 'microsoft' },
  })
  const path = `/console/mailboxes/${made.json.id}/sign-in`
  const { json } = await ana.call<{ url: string }>('POST', path, { body: { login: 'ana@acme.example' } })
  const { origin, pathname, searchParams } = new URL(json.url)
  expect(origin + pathname).toBe('https://login.microsoftonline.com/acme.example/oauth2/v2.0/authorize')
  expect(searchParams.get('scope')?.split(' ')).toEqual([
    'offline_access',
    'https://outlook.office.com/IMAP.AccessAsUser.All',
    'https://outlook.office.com/SMTP.Send',
  ])
  // A shared mailbox: someone signs in who may open it.
  expect(searchParams.get('login_hint')).toBe('ana@acme.example')
})

test('a sign-in needs a client, and a mailbox that signs in at a provider', async () => {
  const { ana, id } = await desk({ hasClient: false })
  const started = await ana.call('POST', `/console/mailboxes/${id}/sign-in`, { body: {} })
  expect(started.json).toMatchObject({
    status: 409,
    code: 'no_oauth_client',
    detail: 'Enter the OAuth client for Google first.',
  })
  const server = { host: 'imap.acme.example', port: 993, security: 'tls', user: ADDRESS, password: 'secret' }
  await ana.call('PATCH', `/console/mailboxes/${id}`, { body: { signIn: 'password', imap: server } })
  const second = await ana.call('POST', `/console/mailboxes/${id}/sign-in`, { body: {} })
  expect(second.json).toMatchObject({ status: 409, code: 'password_mailbox' })
})

test('a sign-in works once, for ten minutes, and for the administrator who started it', async () => {
  const { ana, id, orgId, shown } = await desk()
  const eve = await signInAgent(bellhop, orgId, { name: 'Eve', role: 'admin' })
  const start = async () => {
    const path = `/console/mailboxes/${id}/sign-in`
    oauth.signIn(ADDRESS)
    return oauth.consent((await ana.call<{ url: string }>('POST', path, { body: {} })).json.url)
  }
  const stolen = await start()
  expect(await comeBack(eve, stolen)).toBe('/settings/email?sign-in=expired')
  const late = await start()
  clock.jump(600_000)
  expect(await comeBack(ana, late)).toBe(`/settings/email?sign-in=expired`)
  expect(await shown()).toMatchObject({ state: 'refused', isSignedIn: false })
  const good = await start()
  expect(await comeBack(ana, good)).toBe(`/settings/email/${id}?sign-in=done`)
  expect(await comeBack(ana, good)).toBe('/settings/email?sign-in=expired')
  expect(await shown()).toMatchObject({ isSignedIn: true })
})

test('a declined sign-in, and one with a wrong client secret, change nothing but the displayed error', async () => {
  const { ana, id, shown, saveClient } = await desk()
  oauth.refuseConsent()
  expect(await signIn(ana, id)).toBe(`/settings/email/${id}?sign-in=declined`)
  expect(await shown()).toMatchObject({ state: 'refused', isSignedIn: false })
  await saveClient({ clientId: oauth.clientId, clientSecret: 'wrong' })
  expect(await signIn(ana, id)).toBe(`/settings/email/${id}?sign-in=failed`)
  expect(await shown()).toMatchObject({
    state: 'refused',
    detail: 'Google refused the OAuth client. Check its ID and secret: The server says invalid_client.',
  })
})

test('an access token is used until shortly before it ends, and each new refresh token is stored', async () => {
  const { ana, id, token, mailbox } = await desk()
  await signIn(ana, id)
  const requests = oauth.requests.length
  const first = await token()
  clock.jump(HOUR_MS - 130_000)
  expect(await token()).toBe(first)
  expect(oauth.requests.length).toBe(requests)
  clock.jump(20_000)
  const versions = [(await mailbox()).tokensVersion]
  const [second, same] = await Promise.all([token(), token()])
  expect(second).not.toBe(first)
  expect(same).toBe(second)
  expect(oauth.requests.length).toBe(requests + 1)
  versions.push((await mailbox()).tokensVersion)
  expect(versions[1]).toBe((versions[0] ?? 0) + 1)
  // The provider has changed the refresh token, so this works only with the stored one.
  clock.jump(HOUR_MS)
  expect(oauth.accepts(ADDRESS, await token())).toBe(true)
  expect(oauth.accepts(ADDRESS, await token({ maxAgeMs: 0 }))).toBe(true)
})

test('a failing token server is tried again, and the mailbox stays', async () => {
  const { ana, id, token, shown } = await desk()
  await signIn(ana, id)
  clock.jump(HOUR_MS)
  oauth.fail({ status: 503, body: 'later' })
  await expect(token()).rejects.toMatchObject({
    name: 'TokenError',
    reason: 'unavailable',
    message: 'Google returned no access token (status 503).',
  })
  await oauth.stop()
  await expect(token()).rejects.toMatchObject({ reason: 'unavailable' })
  oauth.start()
  expect(await shown()).toMatchObject({ state: 'connecting' })
  expect(oauth.accepts(ADDRESS, await token())).toBe(true)
})

test('a refused refresh token stops the mailbox, administrators see why, and signing in again fixes it', async () => {
  const { ana, orgId, id, token, shown, problems } = await desk()
  await signIn(ana, id)
  clock.jump(HOUR_MS)
  oauth.revoke(ADDRESS)
  const reason = 'Google no longer accepts the sign-in of this mailbox. Sign in again.'
  await expect(token()).rejects.toMatchObject({ reason: 'refused', message: reason })
  expect(await shown()).toMatchObject({ state: 'refused', detail: reason, isSignedIn: true })
  expect(await problems()).toMatchObject([{ id, state: 'refused', detail: reason, signIn: 'google' }])
  const noted = await bellhop.deps.database.read
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.orgId, orgId))
  expect(noted).toContainEqual(
    expect.objectContaining({ action: 'mailbox.refused', actorKind: 'system', subjectId: id }),
  )
  expect(await signIn(ana, id)).toBe(`/settings/email/${id}?sign-in=done`)
  expect(await shown()).toMatchObject({ state: 'connecting', health: { failingSince: null } })
  expect(await problems()).toEqual([])
  expect(oauth.accepts(ADDRESS, await token())).toBe(true)
  const written = JSON.stringify(noted) + bellhop.logLines.join('\n')
  expect(written).not.toContain(oauth.clientSecret)
  expect(written).not.toContain(await token())
})

describeWithMail('a mailbox at a provider', () => {
  test('is read with its token, and a shared one with the token of another account', async () => {
    const { orgId, ana, id, dialer } = await desk()
    const dovecot = await startDovecot({ users: { [ADDRESS]: 'unused' }, tokenInfo: oauth.tokenInfo })
    await using _stopped = { [Symbol.asyncDispose]: dovecot.stop }
    const server = { host: '127.0.0.1', port: dovecot.imapsPort, security: 'tls', user: ADDRESS }
    await ana.call('PATCH', `/console/mailboxes/${id}`, { body: { imap: server } })
    for (const user of [ADDRESS, 'ana@acme.example']) {
      if (user !== ADDRESS) oauth.share(user, ADDRESS)
      expect(await signIn(ana, id, user, { login: user })).toBe(`/settings/email/${id}?sign-in=done`)
      const mailbox = await readMailbox(bellhop.deps, orgId, id)
      const account = mailAccountOf(bellhop.deps, dialer, mailbox, 'imap')
      await using session = await openImap({ clock, dialer }, account)
      expect(await session.folders()).toContain('INBOX')
    }
    oauth.expireAccessTokens()
    const account = mailAccountOf(bellhop.deps, dialer, await readMailbox(bellhop.deps, orgId, id), 'imap')
    await expect(openImap({ clock, dialer }, account)).rejects.toMatchObject({ code: 'sign_in_refused' })
  })
})
