import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { reservePort } from '../support/mail/ports.ts'
import { sharedSettings } from '../support/servers.ts'
import { ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'
import { PROXIES, startProxy, TRUSTED } from './proxies.ts'
import { testWith } from './runtimes.ts'

// Three servers behind the proxies of the guide.

/** For a busy machine. */
const MAX_WAIT_MS = 60_000
const NODES = 3
const TICKETS = 12
const { ca } = await makeCertificates()
const tls = { ca }

describe.if(engine === 'postgresql')('servers behind the proxies of the guide', () => {
  for (const proxy of PROXIES) {
    testWith(
      [proxy.program],
      `${proxy.name} spreads requests, keeps a browser on a server, and leaves out one that was stopped`,
      async () => {
        const port = reservePort()
        const url = `https://localhost:${port}`
        const shared = await sharedSettings()
        const nodes: Bellhop[] = []
        await using stack = new AsyncDisposableStack()
        for (let each = 0; each < NODES; each += 1) {
          const node = await startBellhop({
            settings: {
              ...shared,
              PORT: String(reservePort()),
              BELLHOP_URL: url,
              BELLHOP_TRUST_PROXY: TRUSTED,
            },
          })
          stack.defer(() => node.stop())
          nodes.push(node)
        }
        const [first, second] = nodes
        if (!(first && second)) throw new Error('No server was started.')
        const upstreams = nodes.map(({ deps }) => `http://127.0.0.1:${deps.config.port}`)
        const running = await startProxy(proxy, port, upstreams)
        stack.defer(() => running.stop())
        const { key, orgId } = await first.organization()
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const create = () =>
          fetch(`${url}/v1/tickets`, { method: 'POST', tls, headers, body: JSON.stringify(ticketInput()) })
        const createAll = () =>
          Promise.all(Array.from({ length: TICKETS }, async () => (await create()).status))
        expect(await createAll()).toEqual(Array(TICKETS).fill(201))
        const { cookie } = await signInAgent(first, orgId)
        const session = cookie.replace(/^[^=]+/, '__Host-bellhop_session')
        const pages = async () => {
          const page = await fetch(`${url}/console/session`, { tls, headers: { cookie: session } })
          return page.status
        }
        expect(await pages()).toBe(200)
        await second.stop()
        // Until the proxy has noticed.
        await eventually(async () => (await createAll()).every((status) => status === 201))
        expect(await pages()).toBe(200)
      },
      MAX_WAIT_MS,
    )
  }
})

describe('servers of two versions', () => {
  for (const proxy of PROXIES) {
    testWith(
      [proxy.program],
      `behind ${proxy.name} are all asked for a file before there is none`,
      async () => {
        await using stack = new AsyncDisposableStack()
        const servers = Array.from({ length: NODES }, (_, number) => {
          const server = Bun.serve({
            port: 0,
            fetch: () => new Response('none', { status: 404 }),
            routes: { [`/assets/${number}.js`]: new Response('file'), '/health/ready': new Response('ok') },
          })
          stack.defer(() => server.stop(true))
          return server
        })
        const port = reservePort()
        const upstreams = servers.map((server) => `http://127.0.0.1:${server.port}`)
        const running = await startProxy(proxy, port, upstreams)
        stack.defer(() => running.stop())
        const ask = async (file: string) => {
          const headers = { cookie: `__Host-bellhop_session=${crypto.randomUUID()}` }
          return (await fetch(`https://localhost:${port}/assets/${file}`, { tls, headers })).status
        }
        const askAll = async (file: string) => {
          const answers = []
          for (let each = 0; each < TICKETS; each += 1) answers.push(await ask(file))
          return answers
        }
        await eventually(async () => (await ask('0.js')) === 200)
        const found = Array(TICKETS).fill(200)
        for (const file of ['0.js', '1.js', '2.js']) expect(await askAll(file)).toEqual(found)
        expect(await askAll('3.js')).toEqual(Array(TICKETS).fill(404))
        await servers[0]?.stop(true)
        for (const file of ['1.js', '2.js']) expect(await askAll(file)).toEqual(found)
      },
      MAX_WAIT_MS,
    )
  }
})

describe('servers that answer as ones without a database', () => {
  for (const proxy of PROXIES.filter(({ program }) => program === 'nginx')) {
    testWith(
      [proxy.program],
      `${proxy.name} leaves them out, repeats no POST, and says when to retry if no other is left`,
      async () => {
        await using stack = new AsyncDisposableStack()
        const servers = Array.from({ length: NODES }, () => {
          const state = { isAway: false, isDying: false, asked: 0 }
          const server = Bun.serve({
            port: 0,
            fetch() {
              state.asked += 1
              if (state.isDying) server.stop(true)
              return state.isAway
                ? new Response('away', { status: 503, headers: { 'retry-after': '5' } })
                : new Response('fine')
            },
          })
          stack.defer(() => server.stop(true))
          return { state, server }
        })
        const port = reservePort()
        const running = await startProxy(
          proxy,
          port,
          servers.map(({ server }) => `http://127.0.0.1:${server.port}`),
        )
        stack.defer(() => running.stop())
        const ask = async (method: string, path: string) => {
          const headers = { cookie: `__Host-bellhop_session=${crypto.randomUUID()}` }
          const answer = await fetch(`https://localhost:${port}${path}`, { method, tls, headers })
          return answer.ok ? answer.status : `${answer.status} ${answer.headers.get('retry-after')}`
        }
        const askAll = async (method: string, path: string) => {
          const answers = []
          for (let each = 0; each < TICKETS; each += 1) answers.push(await ask(method, path))
          return answers
        }
        const sumAsked = () => servers.reduce((sum, { state }) => sum + state.asked, 0)
        const fine = Array(TICKETS).fill(200)
        const away = Array(TICKETS).fill('503 5')
        const [first] = servers
        if (!first) throw new Error('No server was started.')

        first.state.isAway = true
        expect(await askAll('GET', '/console/session')).toEqual(fine)
        expect(await askAll('GET', '/v1/tickets')).toEqual(fine)
        const { asked } = first.state
        expect(await askAll('POST', '/v1/tickets')).toEqual(fine)
        expect(await askAll('POST', '/console/sign-in')).toEqual(fine)
        expect(first.state.asked).toBe(asked)

        for (const { state } of servers) state.isAway = true
        expect(await askAll('GET', '/v1/tickets')).toEqual(away)
        expect(await askAll('GET', '/console/session')).toEqual(away)
        const before = sumAsked()
        expect(await askAll('POST', '/v1/tickets')).toEqual(away)
        expect(sumAsked()).toBe(before + TICKETS)

        // Although it has left out all of them.
        for (const { state } of servers) state.isAway = false
        expect(await askAll('GET', '/v1/tickets')).toEqual(fine)
        expect(await askAll('POST', '/console/sign-in')).toEqual(fine)

        // Killed while it answers.
        for (const { state } of servers) state.isDying = true
        const answered = sumAsked()
        expect(await ask('POST', '/v1/tickets')).toBe('503 5')
        expect(sumAsked()).toBe(answered + 1)
        await Promise.all(servers.map(({ server }) => server.stop(true)))
        expect(await askAll('GET', '/v1/tickets')).toEqual(away)
        expect(await askAll('POST', '/v1/tickets')).toEqual(away)
      },
      MAX_WAIT_MS,
    )
  }
})
