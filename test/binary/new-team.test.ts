import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { type Answer, type Call, call } from '../support/bellhop.ts'
import { makeCertificates } from '../support/certificates.ts'
import { placeProgram } from '../support/compiled-program.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { type Place, type RunningServer, runProgram, startProgram } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { ListJson, TicketJson } from '../support/tickets.ts'
import { openVisitorClient, standOnPage } from '../support/visitor-client.ts'
import { ORIGIN } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const SUPPORT = 'support@helpdesk.test'
const ANA = 'ana@customer.test'
const PASSWORD = 'a secret with spaces'

// One team with nothing but the compiled program in an empty folder, from its first start to another machine.

describeWithMail('a new team with only the compiled program', () => {
  let folder: string
  let program: string[]
  let place: Place
  let server: RunningServer
  let dovecot: Dovecot
  let postfix: Postfix
  let receiver: Receiver
  /** Of the administrator. */
  let cookie: string
  let key: string

  beforeAll(async () => {
    folder = temporaryFolder('team')
    const mail = startDovecot({ users: { [SUPPORT]: PASSWORD, [ANA]: PASSWORD } })
    ;[program, dovecot, receiver] = await Promise.all([placeProgram(folder), mail, startReceiver()])
    postfix = await startPostfix({ dovecot })
    const { ca } = await makeCertificates()
    writeFileSync(join(folder, 'ca.pem'), ca)
    place = {
      PATH: '',
      ...(await mailSettings()),
      BELLHOP_DATA: join(folder, 'data'),
      BELLHOP_LOG: 'error',
      BELLHOP_BACKUP: join(folder, 'backups'),
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: join(folder, 'ca.pem'),
    }
    server = await startProgram(place, program, folder)
    cookie = await setUp()
    key = await bellhop('key', 'create', '--org', 'Acme', '--rate-limit', '1000000')
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    await postfix.stop()
    await dovecot.stop()
    await receiver.stop()
  })

  /** Opens the link that the server printed, and fills in its form. Returns the cookie of the session. */
  async function setUp(): Promise<string> {
    const link = await eventually(() => /^ {2}(\S+\/welcome)#(\S+)$/m.exec(server.out()))
    const [, page = '', token] = link
    expect((await call('GET', page)).headers.get('content-type')).toStartWith('text/html')
    const form = { organization: 'Acme', name: 'Ben', email: 'ben@helpdesk.test', password: PASSWORD }
    const headers = { 'sec-fetch-site': 'same-origin' }
    const body = { token, ...form }
    const done = await call('POST', `${server.url}/console/first-run`, { headers, body })
    expect(done.status, done.text).toBe(201)
    return done.headers.get('set-cookie')?.split(';')[0] ?? ''
  }

  async function bellhop(...args: string[]): Promise<string> {
    const { code, out, err } = await runProgram(place, args, program, folder)
    expect([args[0], code, err]).toEqual([args[0], 0, ''])
    return out.trim()
  }

  function api<Json = Record<string, unknown>>(
    method: string,
    path: string,
    more: Call = {},
    { url } = server,
  ): Promise<Answer<Json>> {
    return call(method, `${url}/v1${path}`, {
      ...more,
      headers: { authorization: `Bearer ${key}`, ...more.headers },
    })
  }

  async function reply(ticketId: string, text: string): Promise<void> {
    const { status } = await api('POST', `/tickets/${ticketId}/messages`, { body: { text } })
    expect(status).toBe(201)
  }

  const ticketWith = (filter: string) =>
    eventually(async () => (await api<ListJson>('GET', `/tickets?${filter}`)).json.data[0])

  test('tells its own systems of a ticket', async () => {
    const url = ['--url', receiver.url, '--events', 'ticket.created']
    const { secret } = JSON.parse(await bellhop('endpoint', 'create', '--org', 'Acme', ...url))
    expect(secret).toStartWith('whsec_')
    const customer = { name: 'Cy', email: 'cy@example.com' }
    const raw = new Uint8Array(Buffer.from('The bytes of a file'))
    const file = await api<{ id: string }>('POST', '/attachments?name=a.txt', { raw })
    const body = { subject: 'Lost', message: 'Where?', customer, tags: ['lost'], attachments: [file.json.id] }
    const created = await api<TicketJson>('POST', '/tickets', { body })
    expect(created.status).toBe(201)
    await reply(created.json.id, 'Here')
    const { json } = await api<TicketJson>('GET', `/tickets/${created.json.id}`)
    expect(json.messages.map(({ text }) => text)).toEqual(['Where?', 'Here'])
    const told = JSON.parse(Buffer.from((await receiver.next()).body).toString())
    expect(told).toMatchObject({ event: 'ticket.created', data: { ticket: { id: created.json.id } } })
  })

  test('answers a mail', async () => {
    const login = encodeURIComponent(SUPPORT)
    const password = join(folder, 'password')
    writeFileSync(password, PASSWORD)
    await bellhop(
      ...['mailbox', 'add', '--org', 'Acme', '--address', SUPPORT, '--name', 'Support'],
      ...['--imap', `imaps://${login}@127.0.0.1:${dovecot.imapsPort}`],
      ...['--smtp', `smtp://${login}@127.0.0.1:${postfix.submissionPort}`, '--password-file', password],
    )
    const headers = [`From: Ana <${ANA}>`, `To: ${SUPPORT}`, 'Subject: My parcel', 'Content-Type: text/html']
    const raw = [...headers, '', '<p onclick=x()>Where <b>is</b> it?</p>'].join('\r\n')
    await postfix.send({ from: ANA, to: SUPPORT, raw })
    const { id } = await ticketWith('channel=email')
    const { json } = await api<TicketJson>('GET', `/tickets/${id}`)
    expect(json).toMatchObject({ subject: 'My parcel', customer: { email: ANA } })
    expect(json.messages[0]?.text).toContain('Where is it?')
    await reply(id, 'It arrives tomorrow.')
    const [sent] = await dovecot.waitForMails(ANA, 1)
    const mail = await PostalMime.parse(await dovecot.read(ANA, sent?.uid ?? 0))
    expect([mail.subject, mail.text?.trim()]).toEqual([
      'Re: My parcel',
      expect.stringContaining('It arrives tomorrow.'),
    ])
    await eventually(async () => {
      const { messages } = (await api<TicketJson>('GET', `/tickets/${id}`)).json
      return messages[1]?.delivery?.state === 'sent'
    })
  })

  test('chats with a visitor of its website', async () => {
    const widget = ['--name', 'Shop', '--origin', ORIGIN, '--json']
    const { key, snippet } = JSON.parse(await bellhop('widget', 'create', '--org', 'Acme', ...widget))
    const script = await call('GET', /src="([^"]+)"/.exec(snippet)?.[1] ?? '')
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching('text/javascript'),
    ])
    using _page = standOnPage()
    let ticketId = ''
    const visitor = openVisitorClient({
      url: server.url,
      key,
      origin: ORIGIN,
      address: '203.0.113.1',
      onSent: ({ conversationId }) => {
        ticketId = conversationId
      },
    })
    try {
      visitor.write('Do you ship to Porto?')
      await eventually(() => ticketId !== '')
      await reply(ticketId, 'Yes, we do.')
      await eventually(() => visitor.messages().length === 2)
      expect(visitor.messages().map(({ text }) => text)).toEqual(['Do you ship to Porto?', 'Yes, we do.'])
    } finally {
      visitor.stop()
    }
  })

  test('reads every page of the documentation', async () => {
    const seen = new Set<string>()
    const open = ['/docs']
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      const page = await call('GET', server.url + path)
      expect([path, page.status]).toEqual([path, 200])
      const links = page.text.matchAll(/(?:href|src)="([^"#?]+)/g)
      const ours = [...links].flatMap(([, link = '']) => {
        const { origin, pathname } = new URL(link, server.url + path)
        return origin === server.url && pathname.startsWith('/docs') ? [pathname] : []
      })
      open.push(...ours.filter((link) => !seen.has(link)))
    }
    expect(seen.size).toBeGreaterThan(8)
  })

  test('has all of it after a restart, and on another machine', async () => {
    const everything = async (at = server) => {
      const { json } = await api<ListJson>('GET', '/tickets?per_page=100', {}, at)
      const tickets = json.data.map(({ id }) => api<TicketJson>('GET', `/tickets/${id}`, {}, at))
      return [json, ...(await Promise.all(tickets)).map((answer) => answer.json)]
    }
    // Counted in a thread of its own.
    const tags = await call('GET', `${server.url}/console/tags`, { headers: { cookie } })
    expect(tags.json).toMatchObject({ data: [{ tag: 'lost' }] })
    const before = await everything()
    // Verified, too: only one backup is made at a time.
    const automatic = async () => {
      const { json } = await call<{ lastSuccess: object | null }>('GET', `${server.url}/console/backups`, {
        headers: { cookie },
      })
      return json.lastSuccess !== null
    }
    await eventually(automatic)
    const backup = join(folder, 'team.tar.zst')
    expect(await bellhop('backup', backup)).toStartWith('Wrote and verified')

    expect(await server.end('SIGTERM')).toBe(0)
    server = await startProgram(place, program, folder)
    expect(await everything()).toEqual(before)
    expect(await server.end('SIGTERM')).toBe(0)

    const machine = temporaryFolder('machine')
    const there = { ...place, BELLHOP_DATA: join(machine, 'data') }
    const restored = await runProgram(there, ['restore', backup], program, machine)
    expect([restored.code, restored.err]).toEqual([0, ''])
    await using moved = await startProgram(there, program, machine)
    expect(await everything(moved)).toEqual(before)
  })
})
