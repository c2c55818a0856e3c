import { afterAll, expect, test } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { announcedUrl } from '../../server/database/lock.ts'
import { examine } from '../../server/doctor/examine.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTelegram } from '../support/telegram-server/telegram-server.ts'
import { eventually } from '../support/webhooks.ts'

interface Report {
  state: string
  detail: string
  checkedAt: string
  findings: { check: string; state: string; detail: string; advice: string }[]
}

/** Asks as an administrator. */
async function ask(agent: SignedInAgent) {
  const { status, json, text } = await agent.call<Report>('GET', '/console/doctor')
  expect(status, text).toBe(200)
  return { report: json, text, of: (check: string) => json.findings.filter((one) => one.check === check) }
}

const other = Bun.serve({ port: 0, fetch: () => new Response('Another site') })
const broken = await startReceiver({ respond: () => ({ status: 500 }) })
const started = await startBellhop({
  settings: {
    BELLHOP_URL: `http://127.0.0.1:${other.port}`,
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
    BELLHOP_WEBHOOK_RETRIES: '1h',
  },
})
// Not at its public address, which is that of the other site.
const bellhop = { ...started, url: announcedUrl(started.deps.config.dataFolder) ?? '' }
afterAll(async () => {
  await started.stop()
  await Promise.all([other.stop(true), broken.stop()])
})

test('administrators see what is wrong with the installation and with their own endpoints only', async () => {
  const { deps } = bellhop
  const [acme, globex] = [await bellhop.organization('Acme'), await bellhop.organization('Globex')]
  const ana = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  const greta = await signInAgent(bellhop, globex.orgId, { role: 'admin' })
  const url = `https://127.0.0.1:${broken.port}/hook?token=secret-of-the-hook`
  const { endpoint } = await createEndpoint(deps, acme.orgId, { url, events: ['ticket.created'] })
  const { id } = endpoint
  const customer = { name: 'Eva', email: 'eva@customer.example' }
  await createTicket(deps, acme.orgId, { subject: 'Invoice', customer, message: 'Hello' })
  const failing = await eventually(async () => {
    const asked = await ask(ana)
    return asked.of('endpoint')[0]?.state === 'warning' ? asked : undefined
  })
  expect(failing.of('endpoint')).toMatchObject([
    { state: 'warning', advice: 'Repair the receiver. Its responses are in Settings > Delivery log.' },
  ])
  expect(failing.of('endpoint')[0]?.detail).toStartWith(
    `The endpoint ${id} at 127.0.0.1:${broken.port} has been failing for less than a minute: The endpoint failed`,
  )
  expect(failing.text).not.toContain('secret-of-the-hook')
  expect(failing.text).not.toContain('eva@customer.example')
  expect(failing.of('address')).toMatchObject([{ state: 'error' }])
  expect(failing.report).toMatchObject({
    state: 'error',
    detail: expect.stringMatching(/^\d errors? and \d warnings? found\.$/),
  })
  expect(Date.parse(failing.report.checkedAt)).toBeGreaterThan(Date.now() - 60_000)

  const theirs = await ask(greta)
  expect(theirs.of('address')).toEqual(failing.of('address'))
  expect(theirs.of('database')).toMatchObject([{ state: 'ok' }])
  expect([theirs.of('endpoint'), theirs.text.includes(id)]).toEqual([[], false])
})

test('a proxy that is not trusted is noticed at its first request', async () => {
  const { orgId } = await bellhop.organization('Initech')
  const ana = await signInAgent(bellhop, orgId, { role: 'admin' })
  expect((await ask(ana)).of('proxy')).toMatchObject([{ state: 'ok' }])
  await fetch(`${bellhop.url}/health/live`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
  const { of } = await ask(ana)
  expect(of('proxy')).toEqual([
    {
      check: 'proxy',
      state: 'warning',
      detail: "Requests with X-Forwarded-For come from 127.0.0.1, which BELLHOP_TRUST_PROXY doesn't name.",
      advice: 'If it is your proxy, add it to BELLHOP_TRUST_PROXY.',
    },
  ])
})

test('a clock that differs from that of a server in use is found, and one that was set back', async () => {
  const telegram = await startTelegram({ clock: systemClock, maxPollMs: 300 })
  const clock = createManualClock()
  const settings = { BELLHOP_TELEGRAM_API: telegram.root }
  const moved = await startBellhop({ clock, settings })
  const { orgId } = await moved.organization('Acme')
  const ana = await signInAgent(moved, orgId, { role: 'admin' })
  const { token } = telegram.addBot({ username: 'acme_clock_bot', name: 'Acme' })
  expect((await ask(ana)).of('clock')).toMatchObject([{ state: 'error' }])
  const made = await ana.call('POST', '/console/bots', { body: { token, name: 'Acme' } })
  expect(made.status, made.text).toBe(201)
  clock.jump(Date.now() - clock.now() - 3 * 3_600_000)
  // Sessions have ended meanwhile.
  const ben = await signInAgent(moved, orgId, { role: 'admin' })
  const { of } = await ask(ben)
  expect(of('clock')[0]).toMatchObject({ state: 'error' })
  expect(of('clock')[0]?.detail).toMatch(
    /^The clock is 3 hours behind that of other servers\.$|^The clock is 2 hours/,
  )
  clock.jump(-24 * 3_600_000)
  expect((await ask(ben)).of('clock')[0]?.detail).toContain('the clock was set back')
  await moved.stop()
  await telegram.close()
})

test.if(started.deps.database.engine === 'postgresql')(
  'a PostgreSQL server that does not answer is found, and its password is not shown',
  async () => {
    const { deps } = started
    const databaseUrl = 'postgres://bellhop:its-password@127.0.0.1:9/bellhop'
    const config = { ...deps.config, databaseUrl }
    const { findings } = await examine({
      config,
      now: deps.clock.now(),
      isServing: false,
      widgetTag: undefined,
    })
    const found = findings.filter(({ check }) => check === 'database')
    expect(found).toMatchObject([{ state: 'error', detail: "The database at DATABASE_URL can't be used." }])
    expect(JSON.stringify(findings)).not.toContain('its-password')
  },
)
