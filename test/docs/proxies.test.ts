import { afterAll, describe, expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, call, startBellhop } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { reservePort } from '../support/mail/ports.ts'
import { ticketInput } from '../support/tickets.ts'
import { PROXIES, startProxy, TRUSTED } from './proxies.ts'
import { testWith } from './runtimes.ts'

// The configurations of the guide, in front of a real server.

const MIB = 2 ** 20
/** For a busy machine. */
const MAX_WAIT_MS = 60_000
/** More than the wrong keys that an address can have in a minute. */
const MANY = 70
const { ca } = await makeCertificates()
const tls = { ca }

for (const proxy of PROXIES) {
  describe(`behind ${proxy.name}, as the guide sets it up`, () => {
    // Begins with the first test, and not at all where the program is missing.
    let started: Promise<{ url: string; bellhop: Bellhop }> | undefined
    const running: { stop(): Promise<unknown> }[] = []
    afterAll(async () => {
      for (const one of running.reverse()) await one.stop()
    })
    const start = async () => {
      const port = reservePort()
      const url = `https://localhost:${port}`
      const settings = { PORT: String(reservePort()), BELLHOP_URL: url, BELLHOP_TRUST_PROXY: TRUSTED }
      const bellhop = await startBellhop({ settings })
      running.push(bellhop)
      running.push(await startProxy(proxy, port, [upstreamOf(bellhop)]))
      return { url, bellhop }
    }
    const through = (name: string, run: (url: string, bellhop: Bellhop) => Promise<void>) =>
      testWith(
        [proxy.program, 'curl'],
        name,
        async () => {
          started ??= start()
          const { url, bellhop } = await started
          await run(url, bellhop)
        },
        MAX_WAIT_MS,
      )

    through('pages and the API answer, and a session is kept to https', async (url, bellhop) => {
      for (const path of ['/docs', '/sign-in', '/health/ready']) {
        expect([path, (await fetch(url + path, { tls })).status]).toEqual([path, 200])
      }
      const { orgId } = await bellhop.organization()
      const { cookie } = await signInAgent(bellhop, orgId)
      const session = (name: string) =>
        fetch(`${url}/console/session`, { tls, headers: { cookie: cookie.replace(/^[^=]+/, name) } })
      expect((await session('__Host-bellhop_session')).status).toBe(200)
      expect((await session('bellhop_session')).status).toBe(401)
    })

    through('events arrive while the stream is open', async (url, bellhop) => {
      const acme = await bellhop.organization()
      const { cookie } = await signInAgent(bellhop, acme.orgId)
      const headers = { cookie: cookie.replace(/^[^=]+/, '__Host-bellhop_session') }
      const abort = new AbortController()
      const stream = await fetch(`${url}/console/live`, { tls, headers, signal: abort.signal })
      expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
      const { body } = stream
      if (!body) throw new Error('The stream has no body.')
      const text = body.pipeThrough(new TextDecoderStream()).getReader()
      let seen = (await text.read()).value ?? ''
      const { id } = await (
        await fetch(`${url}/v1/tickets`, {
          method: 'POST',
          tls,
          headers: { authorization: `Bearer ${acme.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(ticketInput()),
        })
      ).json()
      // The stream doesn't end: what is read here was not held back.
      while (!seen.includes(id)) seen += (await text.read()).value ?? ''
      abort.abort()
    })

    through('clients are told apart by their own address, whatever they claim', async (url) => {
      expect(await wrongKeys(url, '127.0.0.2', MANY)).toContain(429)
      expect(await wrongKeys(url, '127.0.0.3', 1)).toEqual([401])
      expect(await wrongKeys(url, '127.0.0.2', 1, '203.0.113.9')).toEqual([429])
    })

    through('bodies and headers are bounded', async (url, bellhop) => {
      const { key } = await bellhop.organization()
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const post = (path: string, body: string) =>
        fetch(`${url}/v1${path}`, { method: 'POST', tls, headers, body })
      // The proxy is still sending most of them when the server answers.
      for (let mebibytes = 2; mebibytes <= 20; mebibytes += 2) {
        const message = 'x'.repeat(mebibytes * MIB)
        const tooLarge = await post('/tickets', JSON.stringify(ticketInput({ message })))
        expect([tooLarge.status, await tooLarge.text()]).toEqual([
          413,
          expect.stringContaining('body_too_large'),
        ])
      }
      expect((await post('/attachments?name=large.bin', 'x'.repeat(27 * MIB))).status).toBe(413)
      expect((await post('/attachments?name=good.bin', 'x'.repeat(25 * MIB))).status).toBe(201)
      const long = await fetch(`${url}/v1/tickets`, {
        tls,
        headers: { ...headers, 'x-long': 'x'.repeat(40_000) },
      })
      expect([400, 431]).toContain(long.status)
    })

    through('the ETag of a compressed ticket is taken back', async (url, bellhop) => {
      const { key } = await bellhop.organization()
      const authorization = `Bearer ${key}`
      const tickets = `${url}/v1/tickets`
      const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
        fetch(tickets + path, {
          method,
          tls,
          headers: { authorization, 'content-type': 'application/json', ...headers },
          ...(body && { body: JSON.stringify(body) }),
        })
      const { id } = await (
        await send('POST', '', ticketInput({ message: 'again and again '.repeat(500) }))
      ).json()
      const read = await send('GET', `/${id}`, undefined, { 'accept-encoding': 'gzip' })
      expect(read.headers.get('content-encoding')).toBe('gzip')
      const etag = read.headers.get('etag') ?? ''
      if (proxy.name === 'nginx') expect(etag).toStartWith('W/"')
      expect((await send('GET', `/${id}`, undefined, { 'if-none-match': etag })).status).toBe(304)
      expect((await send('PATCH', `/${id}`, { status: 'pending' }, { 'if-match': etag })).status).toBe(200)
      expect((await send('PATCH', `/${id}`, { status: 'open' }, { 'if-match': etag })).status).toBe(412)
    })

    through('other host names are refused, and health is told on every one', async (url, bellhop) => {
      const host = 'other.example'
      expect((await call('GET', `${upstreamOf(bellhop)}/docs`, { headers: { host } })).status).toBe(421)
      expect((await call('GET', `${upstreamOf(bellhop)}/health/live`, { headers: { host } })).status).toBe(
        200,
      )
      expect((await fetch(`${url}/docs`, { tls })).status).toBe(200)
    })
  })
}

/** Where the server listens itself. Its own `url` is the public one. */
function upstreamOf({ deps }: Bellhop): string {
  return `http://127.0.0.1:${deps.config.port}`
}

/** The statuses of requests with a wrong key from that address of this machine. */
async function wrongKeys(
  url: string,
  from: string,
  times: number,
  claim = '198.51.100.1',
): Promise<number[]> {
  const { port } = new URL(url)
  const child = Bun.spawn([
    'curl',
    ...['--silent', '--insecure', '--output', '/dev/null', '--write-out', '%{http_code}\n'],
    ...['--interface', from, '--connect-to', `localhost:${port}:127.0.0.1:${port}`],
    ...['--header', 'Authorization: Bearer bellhop_sk_guess', '--header', `X-Forwarded-For: ${claim}`],
    `${url}/v1/tickets?page=[1-${times}]`,
  ])
  return (await new Response(child.stdout).text()).trim().split('\n').map(Number)
}
