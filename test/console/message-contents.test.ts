import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { readThread } from '../support/threads.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const images = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/script.svg')
      return new Response('<svg/>', { headers: { 'content-type': 'image/svg+xml' } })
    return new Response(Buffer.from(PIXEL, 'base64'), { headers: { 'content-type': 'image/png' } })
  },
})
const bellhop = await startBellhop({ settings: { BELLHOP_MAIL_ALLOW: '127.0.0.0/8' } })
afterAll(async () => {
  await bellhop.stop()
  await images.stop(true)
})

const client = await bellhop.organization()
const agent = await signInAgent(bellhop, client.orgId)
const ledger = await openLedger(bellhop, client.orgId)

const mail = await ledger.fetched(
  [
    'From: Ana <ana@customer.test>',
    'To: support@acme.example',
    'Subject: Look',
    'Message-ID: <look@customer.test>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/related; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p onclick="alert(1)">Look: <img src="cid:dot@x"> <img src="http://127.0.0.1:${images.port}/a.png?x=1&amp;y=2"></p>`,
    `<img src="http://127.0.0.1:${images.port}/script.svg" alt="Sale &lt;now&gt;"><script>alert(1)</script>`,
    '<p>On Monday, Ben wrote:</p><blockquote>Earlier words</blockquote>',
    '--b',
    'Content-Type: image/png',
    'Content-ID: <dot@x>',
    'Content-Transfer-Encoding: base64',
    '',
    PIXEL,
    '--b--',
    '',
  ].join('\r\n'),
)
const message = `/console/tickets/${mail.ticketId}/messages/${mail.messageId}`

test('the HTML of a mail is a page of its own in which nothing runs and nothing is loaded from elsewhere', async () => {
  expect(mail.outcome).toBe('message')
  const frame = await agent.call('GET', `${message}/frame`)
  expect(frame.status, frame.text).toBe(200)
  const policy = frame.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain('sandbox allow-same-origin')
  expect(policy).not.toContain('allow-scripts')
  expect(frame.text).toContain('Look:')
  expect(frame.text).toMatch(/src="\/v1\/attachments\/att_/)
  expect(frame.text).not.toContain('alert(1)')
  expect(frame.text).not.toContain(`http://127.0.0.1:${images.port}`)
})

test('a blocked image says what it shows', async () => {
  const blocked = (await agent.call('GET', `${message}/frame`)).text
  expect(blocked).toContain('<span class="blocked-image">Sale &lt;now&gt;</span>')
  expect((await agent.call('GET', `${message}/frame?images=all`)).text).not.toContain('<span')
})

test('images from elsewhere are shown when an agent asks, through this server', async () => {
  const frame = await agent.call('GET', `${message}/frame?images=all`)
  const addresses = [...frame.text.matchAll(/src="(\/console\/[^"]+)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  )
  expect(addresses).toHaveLength(2)
  const [png = '', svg = ''] = addresses
  const image = await agent.call('GET', png)
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await agent.call('GET', svg)).status).toBe(404)
  const elsewhere = `${message}/image?url=${encodeURIComponent('http://127.0.0.1/')}&signature=0000000000000000`
  expect((await agent.call('GET', elsewhere)).status).toBe(404)
})

test('the quoted text and the original are loaded when they are asked for', async () => {
  const contents = await agent.call('GET', `${message}/contents`)
  expect(contents.json).toMatchObject({ hasHtml: true, hasOriginal: true })
  expect(JSON.stringify(contents.json)).toContain('Earlier words')
  const original = await agent.call('GET', `${message}/original`)
  expect(original.text).toContain('Message-ID: <look@customer.test>')
  expect(original.headers.get('content-disposition')).toStartWith('attachment')
})

test('a frame without the quoted mail shows the new text', async () => {
  expect((await agent.call('GET', `${message}/frame`)).text).toContain('Earlier words')
  const frame = await agent.call('GET', `${message}/frame?quote=hidden`)
  expect(frame.text).toContain('Look:')
  expect(frame.text).not.toContain('Earlier words')
  expect((await agent.call('GET', `${message}/frame?quote=some`)).status).toBe(400)
})

test('the thread says who wrote a mail to whom, and what can be loaded of it', async () => {
  const { timeline } = await readThread(agent, mail.ticketId ?? '')
  expect(timeline[0]).toMatchObject({
    email: {
      from: { name: 'Ana', address: 'ana@customer.test' },
      to: [{ name: '', address: 'support@acme.example' }],
      subject: 'Look',
    },
    html: 'formatted',
    hasRemoteImages: true,
    hasQuote: true,
  })
  expect(timeline[0]).not.toHaveProperty('author')
  expect(JSON.stringify(timeline)).not.toContain('Earlier words')
})

test('the thread marks participants and automatic mail, and lists no more than 50 recipients', async () => {
  const many = Array.from({ length: 80 }, (_, index) => `p${index}@customer.test`).join(', ')
  const added = await ledger.fetched(
    [
      'From: Ben Ito <ben@elsewhere.test>',
      `To: ${many}`,
      'Cc: Cy <cy@customer.test>',
      'Reply-To: office@elsewhere.test',
      'Subject: Re: Look',
      'Auto-Submitted: auto-replied',
      'In-Reply-To: <look@customer.test>',
      'Message-ID: <away@elsewhere.test>',
      '',
      'I am away.',
    ].join('\r\n'),
  )
  const { timeline } = await readThread(agent, added.ticketId ?? '')
  const email = timeline.at(-1)?.email
  expect(timeline.at(-1)).toMatchObject({ isAutomatic: true, text: 'I am away.' })
  expect(email?.to).toHaveLength(50)
  expect(email).toMatchObject({ others: 31, replyTo: [{ name: '', address: 'office@elsewhere.test' }] })
})
