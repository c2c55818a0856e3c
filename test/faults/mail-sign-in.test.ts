import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { createMailDialer } from '../../server/channels/email/mail-account.ts'
import { countMails } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { createMailbox, readMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { saveOauthClient } from '../../server/channels/email/oauth/oauth-clients.ts'
import { accessTokenOf, encryptTokens } from '../../server/channels/email/oauth/oauth-tokens.ts'
import { mailboxes } from '../../server/database/tables/mailboxes.ts'
import type { Deps } from '../../server/deps.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { type OauthServer, startOauthServer } from '../support/mail/oauth-server.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const ADDRESS = 'support@helpdesk.test'
const KILLS = 10
const MAX_LIFE_MS = 150
const MAX_TEST_MS = 120_000

let oauth: OauthServer
let settings: Record<string, string>

beforeAll(async () => {
  oauth = await startOauthServer()
  const root = new URL(oauth.tokenEndpoint).origin
  settings = { ...(await mailSettings()), BELLHOP_GOOGLE_OAUTH: root }
})
afterAll(() => oauth.stop())

async function connect(deps: Deps, orgId: string, imapsPort: number): Promise<string> {
  const { clientId, clientSecret } = oauth
  await saveOauthClient(deps, orgId, 'google', { clientId, clientSecret })
  const server = { host: '127.0.0.1', security: 'tls', user: ADDRESS } as const
  const { id } = await createMailbox(deps, orgId, {
    name: 'Support',
    address: ADDRESS,
    signIn: 'google',
    imap: { ...server, port: imapsPort },
    smtp: { ...server, port: 1 },
  })
  return id
}

describeWithMail('a mailbox that signs in at a provider', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [ADDRESS]: 'unused' }, tokenInfo: oauth.tokenInfo })
  })
  afterAll(() => dovecot.stop())

  test(
    'loses no mail while its sign-in is refused or the token server is down, and one sign-in mends it',
    async () => {
      const bellhop = await startBellhop({ settings })
      const { orgId } = await bellhop.organization()
      const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
      const id = await connect(bellhop.deps, orgId, dovecot.imapsPort)
      const stateIs = (wanted: string) =>
        eventually(async () => {
          const { json } = await ana.call<{ state: string }>('GET', `/console/mailboxes/${id}`)
          return json.state === wanted && json
        })
      const signIn = async () => {
        oauth.signIn(ADDRESS)
        const path = `/console/mailboxes/${id}/sign-in`
        const { json } = await ana.call<{ url: string }>('POST', path, { body: {} })
        const { pathname, search } = await oauth.consent(json.url)
        await ana.call('GET', pathname + search)
      }
      let delivered = 0
      const deliver = () => {
        delivered += 1
        const headers = [
          `From: cy@customer.test`,
          `To: ${ADDRESS}`,
          `Message-ID: <${delivered}@customer.test>`,
        ]
        dovecot.deliver(ADDRESS, [...headers, `Subject: ${delivered}`, '', 'Hello'].join('\r\n'))
      }
      const allArrived = () =>
        eventually(async () => (await countMails(bellhop.deps, orgId, id)).message === delivered)

      await signIn()
      await stateIs('active')
      deliver()
      await allArrived()

      oauth.revoke(ADDRESS)
      await dovecot.disconnect(ADDRESS)
      deliver()
      await stateIs('refused')
      const problems = await ana.call('GET', '/console/mailboxes/problems')
      expect(problems.json).toMatchObject({ data: [{ id, state: 'refused', signIn: 'google' }] })
      await signIn()
      await stateIs('active')
      await allArrived()

      oauth.expireAccessTokens()
      oauth.fail({ status: 503, body: '' })
      await dovecot.disconnect(ADDRESS)
      deliver()
      await stateIs('failing')
      await allArrived()
      await stateIs('active')
      await bellhop.stop()
    },
    MAX_TEST_MS,
  )
})

test(
  'a server that is killed while it renews tokens goes on, or asks for another sign-in',
  async () => {
    const place = await freshPlace()
    const env = { ...place, ...settings }
    await using webhooks = await openWebhooks({ place, settings: env })
    const { deps, orgId } = webhooks
    const id = await connect(deps, orgId, 1)
    const dialer = createMailDialer(deps)
    const mailbox = () => readMailbox(deps, orgId, id)
    const signInAgain = async () => {
      const { accessToken, refreshToken } = oauth.issue(ADDRESS)
      const tokens = encryptTokens(deps, id, { accessToken, refreshToken, expiresIn: 3_600 }, refreshToken)
      const { tokensVersion } = await mailbox()
      const set = { tokens, tokensVersion: tokensVersion + 1, state: 'active' as const }
      await deps.database.write(undefined, async (tx) => {
        await tx.update(mailboxes).set(set).where(eq(mailboxes.id, id))
      })
    }
    await signInAgain()
    const lives = killedLives({
      program: `${import.meta.dir}/../channels/programs/refresh.ts`,
      args: [orgId],
      env: { ...process.env, ...env },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
    })
    let renewed = 0
    let refused = 0
    for await (const said of lives) {
      renewed += said.length
      const after = await accessTokenOf(deps, dialer, await mailbox(), { maxAgeMs: -1 }).catch(
        (error) => error,
      )
      if (typeof after === 'string') expect(oauth.accepts(ADDRESS, after)).toBe(true)
      else {
        // The provider had changed the refresh token, and the answer was lost with the server.
        refused += 1
        expect(after).toMatchObject({ name: 'TokenError', reason: 'refused' })
        expect(await mailbox()).toMatchObject({ state: 'refused' })
        await signInAgain()
      }
    }
    // At least once in each life, before its kill.
    expect(renewed).toBeGreaterThanOrEqual(KILLS)
    expect(refused).toBeLessThan(KILLS)
  },
  MAX_TEST_MS,
)
