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
