import { afterAll, expect, test } from 'bun:test'
import PostalMime from 'postal-mime'
import { paintedPng } from '../support/images.ts'
import { openOutgoing } from '../support/mail/outgoing.ts'
import { type OutgoingJson, readThread } from '../support/threads.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

// What an agent's message looks like when it has left by email.

const outgoing = await openOutgoing()
afterAll(() => outgoing[Symbol.asyncDispose]())
const { ben, acme, smtp } = outgoing

/** The newest mail, once the message is sent. */
async function sentMail(ticketId: string, messageId: string) {
  await outgoing.until(ticketId, messageId, 'sent')
  const sent = smtp.messages.find(({ raw }) => raw.includes(messageId))
  if (!sent) throw new Error('The mail server has no such message.')
  return { ...sent, mail: await PostalMime.parse(sent.raw), source: sent.raw.toString() }
}

test('a reply answers the customer’s newest mail', async () => {
  const ticketId = await outgoing.ticket({ messageId: 'first@example.com' })
  await outgoing.receive(ticketId, { messageId: 'second@example.com', references: ['first@example.com'] })
  const { to, secure, user, mail } = await sentMail(
    ticketId,
    await outgoing.reply(ticketId, 'It arrives tomorrow.'),
  )
  expect([to, secure, user]).toEqual([['ana@example.com'], true, 'support@acme.example'])
  expect(mail.from).toMatchObject({ name: 'Ben Okafor (Support)', address: 'support@acme.example' })
  expect(mail.to).toMatchObject([{ name: 'Ana Pires', address: 'ana@example.com' }])
  expect(mail.replyTo?.[0]?.address).toMatch(/^support\+[0-9a-z]{22}@acme\.example$/)
  expect(mail.subject).toBe('Re: My parcel')
  expect(mail.inReplyTo).toBe('<second@example.com>')
  expect(mail.references).toBe('<first@example.com> <second@example.com>')
  expect(mail.messageId).toMatch(/^<msg_[0-9a-z]{26}\.[0-9a-z]{16}@acme\.example>$/)
})

test('the API shows how far a message is, and the ticket as changed when that changes', async () => {
  const ticketId = await outgoing.ticket()
  const read = (etag?: string) =>
    acme.call<{ messages: OutgoingJson[] }>('GET', `/tickets/${ticketId}`, {
      headers: etag === undefined ? {} : { 'if-none-match': etag },
    })
  smtp.fail({ at: 'end', does: { code: 550, text: 'No' } })
  const id = await outgoing.reply(ticketId, 'Hello')
  await outgoing.until(ticketId, id, 'failed')
  const failed = await read()
  const reason = '127.0.0.1 refused it: 550 No'
  expect(failed.json.messages.map(({ delivery }) => delivery)).toEqual([
    undefined,
    { state: 'failed', reason, by: 'email' },
  ])
  const etag = failed.headers.get('etag') ?? ''
  expect((await read(etag)).status).toBe(304)
  await ben.call('POST', `/console/tickets/${ticketId}/messages/${id}/resend`, { body: {} })
  await outgoing.until(ticketId, id, 'sent')
  const sent = await read(etag)
  expect([sent.status, sent.json.messages[1]?.delivery]).toEqual([200, { state: 'sent', by: 'email' }])
})

test('quotes what the customer wrote last, and only that', async () => {
  const ticketId = await outgoing.ticket({ text: 'Where is it?' })
  await outgoing.receive(ticketId, { text: 'I need it <b>soon</b>.\n\nAna' })
  const { mail } = await sentMail(ticketId, await outgoing.reply(ticketId, 'Tomorrow.'))
  expect(mail.text).toMatch(
    /^Tomorrow\.\n\nOn [A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M UTC, Ana Pires <ana@example\.com> wrote:\n> I need it <b>soon<\/b>\.\n>\n> Ana\n$/,
  )
  expect(mail.html).toContain('I need it &lt;b&gt;soon&lt;/b&gt;.')
  expect(mail.html).not.toContain('Where is it?')
})

test('formatting and the signatures of agent and organization are in both parts', async () => {
  const signature = await ben.call('PATCH', '/console/organization', {
    body: { signature: 'The **Acme** team' },
  })
  expect(signature.status, signature.text).toBe(200)
  const ticketId = await outgoing.ticket()
  const id = await outgoing.put(ticketId, { text: 'Please **wait**.', format: 'markdown' })
  const { mail } = await sentMail(ticketId, id)
  expect(mail.text).toStartWith('Please wait.\n\n-- \nThe Acme team\n\nOn ')
  expect(mail.html).toContain('Please <strong>wait</strong>.')
  expect(mail.html).toContain('<body style="font-family:Arial')
  expect(mail.html).toContain('The <strong>Acme</strong> team')
  await ben.call('PATCH', '/console/organization', { body: { signature: '' } })
})

test('each paragraph says that it reads in the direction of its own words', async () => {
  const ticketId = await outgoing.ticket({ text: 'أين طلبي؟' })
  const id = await outgoing.put(ticketId, { text: 'ההזמנה **בדרך**\n\n- One', format: 'markdown' })
  const { mail } = await sentMail(ticketId, id)
  const paragraphs = [...(mail.html ?? '').matchAll(/<(?:p|ul|blockquote)\b[^>]*>/g)].map(([tag]) => tag)
  expect(paragraphs).toHaveLength(5)
  expect(paragraphs.filter((tag) => !tag.includes('dir="auto"'))).toEqual([])
})

async function upload(query: string, bytes: string | Uint8Array<ArrayBuffer>) {
  const answer = await ben.call<{ id: string; inline?: true }>('POST', `/v1/attachments?name=${query}`, {
    raw: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

test('a picture is where the text names it, no wider than a mail, and described in the words of the writer', async () => {
  const ticketId = await outgoing.ticket()
  const wide = new Uint8Array(paintedPng(1360, 680))
  const files = [
    await upload('wide.png&inline=true', wide),
    await upload('small one.png&inline=true', new Uint8Array(paintedPng(40, 30))),
    await upload('below.png&inline=true', new Uint8Array(paintedPng(20, 10))),
  ]
  const id = await outgoing.put(ticketId, {
    text: 'Press ![The "send" button](wide.png) here.\n\n![](small one.png)\n\nThen wait. ![a](gone.png)',
    format: 'markdown',
    attachments: files.map((file) => file.id),
  })
  const { mail } = await sentMail(ticketId, id)
  const shown = (mail.html ?? '').split('Then wait.')
  const images = (html = '') =>
    [...html.matchAll(/<img src="cid:(?:[^"]+)" width="(\d+)" height="(\d+)" alt="([^"]*)"/g)].map((found) =>
      found.slice(1),
    )
  expect(images(shown[0])).toEqual([
    ['600', '300', 'The &quot;send&quot; button'],
    ['40', '30', ''],
  ])
  expect(images(shown[1])).toEqual([['20', '10', '']])
  expect(mail.html).toMatch(/Press <img [^>]*> here\./)
  expect(mail.text).toStartWith('Press [The "send" button] here.\n\nThen wait. [a]\n\n')
})

test('files are attached, and an image that is to be inline is shown below the text', async () => {
  const ticketId = await outgoing.ticket()
  const files = [
    await upload('invoice.pdf&inline=true', '%PDF-1.4 invoice'),
    await upload('photo.png', PNG),
    await upload('screenshot.png&inline=true', PNG),
  ]
  expect(files.map(({ inline }) => inline)).toEqual([undefined, undefined, true])
  const id = await outgoing.put(ticketId, { text: 'See both.', attachments: files.map((file) => file.id) })
  const { mail } = await sentMail(ticketId, id)
  expect(mail.attachments).toMatchObject([
    { filename: 'screenshot.png', mimeType: 'image/png', disposition: 'inline' },
    { filename: 'invoice.pdf', mimeType: 'application/pdf', disposition: 'attachment' },
    { filename: 'photo.png', mimeType: 'image/png', disposition: 'attachment' },
  ])
  const [shown] = mail.attachments
  expect(mail.html).toContain(`src="cid:${shown?.contentId?.replace(/[<>]/g, '')}"`)
  expect(Buffer.from(new Uint8Array(mail.attachments[1]?.content as ArrayBuffer)).toString()).toBe(
    '%PDF-1.4 invoice',
  )
})

test('a reply goes to everyone on the newest mail, less our own addresses', async () => {
  const ticketId = await outgoing.ticket({
    from: { name: 'Ana', address: 'ana@example.com' },
    replyTo: [{ name: 'Ana at home', address: 'ana@home.example' }],
    to: [
      { name: '', address: 'Support@Acme.example' },
      { name: 'Bob', address: 'bob@example.com' },
      { name: '', address: 'support+0123456789abcdef012345@acme.example' },
    ],
    cc: [
      { name: 'Cy', address: 'cy@example.com' },
      { name: '', address: 'BOB@example.com' },
      { name: 'Not an address', address: 'nobody' },
    ],
  })
  const { reply } = await readThread(ben, ticketId)
  expect(reply).toMatchObject({
    by: 'email',
    mailbox: { address: 'support@acme.example' },
    recipients: {
      to: [
        { name: 'Ana at home', address: 'ana@home.example' },
        { name: 'Ana', address: 'ana@example.com' },
      ],
      cc: [
        { name: 'Bob', address: 'bob@example.com' },
        { name: 'Cy', address: 'cy@example.com' },
      ],
      leftOut: 0,
    },
  })
  const { to, mail } = await sentMail(ticketId, await outgoing.reply(ticketId, 'To all.'))
  expect(to).toEqual(['ana@home.example', 'ana@example.com', 'bob@example.com', 'cy@example.com'])
  expect(mail.cc?.map(({ address }) => address)).toEqual(['bob@example.com', 'cy@example.com'])
})

test('a reply to someone else includes the customer, and quotes nothing to those who did not get it', async () => {
  const ticketId = await outgoing.ticket({ text: 'A secret of Ana.' })
  await outgoing.receive(ticketId, {
    from: { name: 'Carrier', address: 'desk@carrier.example' },
    messageId: 'carrier@carrier.example',
    text: 'A secret of the carrier.',
  })
  expect((await sentMail(ticketId, await outgoing.reply(ticketId, 'Hello.'))).to).toEqual([
    'desk@carrier.example',
    'ana@example.com',
  ])
  const carrier = { to: [{ address: 'desk@carrier.example' }] }
  const toCarrier = await sentMail(
    ticketId,
    await outgoing.put(ticketId, { text: 'Thanks.', recipients: carrier }),
  )
  expect(toCarrier.to).toEqual(['desk@carrier.example'])
  expect(toCarrier.mail.inReplyTo).toBe('<carrier@carrier.example>')
  expect(toCarrier.source).not.toContain('A secret of Ana')
  const recipients = { to: [{ address: 'ana@example.com' }] }
  const toAna = await sentMail(ticketId, await outgoing.put(ticketId, { text: 'Tomorrow.', recipients }))
  expect(toAna.to).toEqual(['ana@example.com'])
  expect(toAna.source).not.toContain('carrier')
  // Nor with both on one mail.
  const both = { ...recipients, cc: [{ address: 'desk@carrier.example' }] }
  const toBoth = await sentMail(
    ticketId,
    await outgoing.put(ticketId, { text: 'To both.', recipients: both }),
  )
  expect(toBoth.to).toEqual(['ana@example.com', 'desk@carrier.example'])
  expect(toBoth.source).not.toContain('A secret')
  expect(toBoth.mail.inReplyTo).not.toBe('<carrier@carrier.example>')
})

test('an automatic mail does not change who gets the reply', async () => {
  const ticketId = await outgoing.ticket()
  await outgoing.receive(ticketId, { from: { name: '', address: 'robot@example.com' }, isAutomatic: true })
  const { reply } = await readThread(ben, ticketId)
  expect(reply.recipients?.to.map(({ address }) => address)).toEqual(['ana@example.com'])
  const form = await outgoing.ticket({
    from: { name: '', address: 'form@shop.example' },
    replyTo: [{ name: 'Dan', address: 'dan@example.com' }],
    isAutomatic: true,
  })
  expect((await readThread(ben, form)).reply.recipients?.to).toEqual([
    { name: 'Dan', address: 'dan@example.com' },
  ])
})

test('a customer whose address looks like a form’s stays among the recipients when someone else answers', async () => {
  const web = { name: 'Web', address: 'web@kunde.example' }
  const ticketId = await outgoing.ticket({ from: web })
  await outgoing.receive(ticketId, { from: { name: 'Bo', address: 'bo@kunde.example' } })
  const { reply } = await readThread(ben, ticketId)
  expect(reply.recipients?.to.map(({ address }) => address)).toEqual(['bo@kunde.example', web.address])
})

test('recipients that are too many for a mail are counted, not written to', async () => {
  const cc = Array.from({ length: 80 }, (_, number) => ({ name: '', address: `p${number}@example.com` }))
  const { reply } = await readThread(ben, await outgoing.ticket({ cc }))
  expect(reply.recipients?.cc).toHaveLength(49)
  expect(reply.recipients?.leftOut).toBe(31)
})

test('recipients that the author chose are kept, and wrong ones change nothing', async () => {
  const ticketId = await outgoing.ticket()
  const put = (recipients: object) =>
    ben.call('PUT', `/v1/tickets/${ticketId}/messages/${outgoing.bellhop.deps.newId('msg')}`, {
      body: { text: 'Hello', recipients },
    })
  const refused = async (recipients: object, pointer: string, detail: string) => {
    const { errors } = problemOf(await put(recipients), 400, 'invalid_request')
    expect(errors).toMatchObject([{ pointer, detail }])
  }
  await refused({ to: [] }, '/recipients/to', 'Add at least one recipient.')
  await refused(
    { to: [{ address: 'ana@example' }] },
    '/recipients/to/0/address',
    '"ana@example" is not an email address.',
  )
  await refused(
    { to: [{ address: 'ana@example.com' }], cc: [{ address: 'support+x@acme.example' }] },
    '/recipients/cc/0/address',
    'support+x@acme.example is one of your own addresses.',
  )
  const many = Array.from({ length: 51 }, (_, number) => ({ address: `p${number}@example.com` }))
  await refused({ to: many }, '/recipients', 'An email can have at most 50 recipients.')
  const onApi = await makeTicket(acme)
  const path = `/v1/tickets/${onApi.id}/messages/${outgoing.bellhop.deps.newId('msg')}`
  const body = { text: 'Hello', recipients: { to: [{ address: 'ana@example.com' }] } }
  expect(problemOf(await ben.call('PUT', path, { body }), 400, 'invalid_request').errors).toMatchObject([
    { pointer: '/recipients', code: 'not_by_email' },
  ])
  expect((await readThread(ben, ticketId)).timeline).toHaveLength(1)

  const injected = { name: 'Dan\r\nBcc: eve@example.com', address: 'dan@example.com' }
  const { to, source } = await sentMail(
    ticketId,
    await outgoing.put(ticketId, { text: 'Hello', recipients: { to: [injected] } }),
  )
  expect(to).toEqual(['dan@example.com'])
  expect(source).not.toMatch(/^Bcc:/m)
})

test('a draft keeps the recipients, and a reply that is taken back returns them', async () => {
  const ticketId = await outgoing.ticket()
  const recipients = { to: [{ name: 'Dan', address: 'dan@exam' }], cc: [] }
  const saved = await ben.call('PUT', `/console/tickets/${ticketId}/draft`, {
    body: { kind: 'reply', text: 'Hello', recipients },
  })
  expect(saved.status, saved.text).toBe(200)
  expect((await readThread(ben, ticketId)).drafts).toMatchObject([{ recipients }])
  const chosen = { to: [{ name: 'Dan', address: 'dan@example.com' }], cc: [] }
  const sendAt = new Date(Date.now() + 60_000).toISOString()
  const id = await outgoing.put(ticketId, { text: 'Hello', recipients: chosen, sendAt })
  expect((await readThread(ben, ticketId)).waiting).toMatchObject([{ id, recipients: chosen }])
  await ben.call('DELETE', `/v1/tickets/${ticketId}/messages/${id}`)
  expect((await readThread(ben, ticketId)).drafts).toMatchObject([{ text: 'Hello', recipients: chosen }])
})

test('a ticket of the API is answered by email if the organization wants that', async () => {
  const { id } = await makeTicket(acme)
  expect((await readThread(ben, id)).reply).toEqual({ by: 'api', undoSeconds: 10 })
  await ben.call('PATCH', '/console/organization', { body: { emailsApiTickets: true } })
  expect((await readThread(ben, id)).reply.recipients?.to).toEqual([
    { name: 'Ana Pires', address: 'ana@example.com' },
  ])
  const { to, mail } = await sentMail(id, await outgoing.reply(id, 'Here it is.'))
  expect([to, mail.subject, mail.inReplyTo]).toEqual([['ana@example.com'], 'Re: Missing invoice', undefined])
  expect(mail.text).toContain('> My invoice for February is missing.')
  await ben.call('PATCH', '/console/organization', { body: { emailsApiTickets: false } })
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
