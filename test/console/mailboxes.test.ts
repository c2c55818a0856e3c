import { afterAll, expect, test } from 'bun:test'
import { and, asc, eq } from 'drizzle-orm'
import type { MailboxInput } from '../../server/channels/email/mailboxes/check-mailbox.ts'
import { auditEntries } from '../../server/database/tables/audit.ts'
import { mailboxes, mails } from '../../server/database/tables/mailboxes.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { openLive } from '../support/live.ts'
import { newMailbox } from '../support/mailboxes.ts'

const PASSWORDS = ['first-secret', 'second-secret', 'third-secret']

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())

interface Shown {
  id: string
  address: string
  isDefault: boolean
  state: string
  updatedAt: string
}
type List = { data: Shown[] }

async function desk() {
  const { orgId } = await bellhop.organization()
  const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const list = async () => (await ana.call<List>('GET', '/console/mailboxes')).json.data
  const add = async (given: Partial<MailboxInput> = {}) => {
    const made = await ana.call<Shown>('POST', '/console/mailboxes', { body: newMailbox(given) })
    expect(made.status, made.text).toBe(201)
    return made.json
  }
  const change = (id: string, body: object) => ana.call<Shown>('PATCH', `/console/mailboxes/${id}`, { body })
  const row = async (id: string) => {
    const [found] = await bellhop.deps.database.read.select().from(mailboxes).where(eq(mailboxes.id, id))
    if (!found) throw new Error(`There is no mailbox ${id}.`)
    return found
  }
  const passwordsOf = async (id: string) => {
    const { imapPassword, smtpPassword } = await row(id)
    const read = (encrypted: Uint8Array | null) => encrypted && bellhop.deps.encryption.decrypt(encrypted, id)
    return [read(imapPassword), read(smtpPassword)]
  }
  return { orgId, ana, list, add, change, row, passwordsOf }
}

test('a mailbox is shown with its health, and never with its passwords', async () => {
  const { ana, add, list, passwordsOf } = await desk()
  const made = await add({
    name: ' Support ',
    address: ' Support@Acme.example ',
    folders: ['inbox', 'INBOX', 'Spam'],
  })
  const server = { security: 'tls', user: 'Support@Acme.example' }
  const expected: object = {
    id: expect.stringMatching(/^mbx_/),
    name: 'Support',
    address: 'Support@Acme.example',
    isDefault: true,
    state: 'connecting',
    detail: 'Bellhop has not reached the mail server yet.',
    signIn: 'password',
    isSignedIn: true,
    imap: { ...server, host: 'imap.acme.example', port: 993 },
    smtp: { ...server, host: 'smtp.acme.example', port: 465 },
    hasSmtpPassword: true,
    folders: ['INBOX', 'Spam'],
    importSince: null,
    sentFolder: '',
    signature: '',
    defaultAssignee: null,
    autoReply: '',
    aliases: [],
    authservId: '',
    hasSubaddresses: null,
    hasSubjectTokens: false,
    dkim: null,
    health: {
      lastReceivedAt: null,
      lastSentAt: null,
      lastCheckedAt: null,
      failingSince: null,
      receiveError: null,
      sendError: null,
      onServer: null,
      unaccounted: null,
      quarantined: 0,
    },
    createdAt: '2026-03-01T09:00:00.000Z',
    updatedAt: '2026-03-01T09:00:00.000Z',
  }
  expect<object>(made).toEqual(expected)
  expect(await list()).toEqual([made])
  const one = await ana.call('GET', `/console/mailboxes/${made.id}`)
  expect(one.json).toEqual({ ...made })
  expect(await passwordsOf(made.id)).toEqual(['first-secret', 'first-secret'])
  for (const secret of PASSWORDS) expect(one.text).not.toContain(secret)
})

const INVALID: [change: object, pointer: string, code: string][] = [
  [{ name: ' ' }, '/name', 'invalid_name'],
  [{ address: 'support' }, '/address', 'invalid_format'],
  [{ address: `${'x'.repeat(65)}@acme.example` }, '/address', 'invalid_format'],
  [{ address: 'support@acme.example>' }, '/address', 'invalid_format'],
  [{ address: '.support@acme.example' }, '/address', 'invalid_format'],
  [{ address: 'sup..port@acme.example' }, '/address', 'invalid_format'],
  [{ address: 'support.@acme.example' }, '/address', 'invalid_format'],
  [{ address: '"support"@acme.example' }, '/address', 'invalid_format'],
  [{ address: 'sup\u200bport@acme.example' }, '/address', 'invalid_format'],
  [{ address: 'support@[127.0.0.1]' }, '/address', 'invalid_format'],
  [{ authservId: 'mx; dmarc=pass' }, '/authservId', 'invalid_format'],
  [{ imap: server({ host: 'not a host' }) }, '/imap/host', 'invalid_host'],
  [{ imap: server({ host: 'imap.example.com/x' }) }, '/imap/host', 'invalid_host'],
  [{ smtp: server({ host: 'imaps://example.com' }) }, '/smtp/host', 'invalid_host'],
  [{ smtp: server({ host: '' }) }, '/smtp/host', 'invalid_host'],
  [{ imap: server({ host: 'localhost' }) }, '/imap/host', 'blocked_host'],
  [{ smtp: server({ host: '10.0.0.1' }) }, '/smtp/host', 'blocked_address'],
  [{ imap: server({ port: 0 }) }, '/imap/port', 'invalid_port'],
  [{ smtp: server({ port: 65_536 }) }, '/smtp/port', 'invalid_port'],
  [{ imap: server({ user: '' }) }, '/imap/user', 'invalid_user'],
  [{ imap: server({ password: '' }) }, '/imap/password', 'invalid_password'],
  [{ imap: server({ password: 'two\nlines' }) }, '/imap/password', 'invalid_password'],
  [{ imap: { ...server({}), password: undefined } }, '/imap/password', 'password_required'],
  [{ imap: server({ security: 'none' }) }, '/imap/security', 'not_allowed'],
  [{ folders: [] }, '/folders', 'invalid_folders'],
  [{ folders: ['INBOX', ' '] }, '/folders/1', 'invalid_folder'],
  [{ sentFolder: 'Sent\nBcc' }, '/sentFolder', 'invalid_folder'],
  [{ signature: 'x'.repeat(10_001) }, '/signature', 'too_long'],
  [{ autoReply: 'x'.repeat(10_001) }, '/autoReply', 'too_long'],
  [{ defaultAssignee: 'agt_00000000000000000000000000' }, '/defaultAssignee', 'unknown_agent'],
  [{ importSince: '2026-02-30T00:00:00Z' }, '/importSince', 'invalid_format'],
  [{ state: 'active' }, '/state', 'unknown_field'],
]

function server<Given extends object>(given: Given) {
  const user = 'support@acme.example'
  const usual = {
    host: 'imap.acme.example',
    port: 993,
    security: 'tls',
    user,
    password: 'first-secret',
  } as const
  return { ...usual, ...given }
}

test.each(INVALID)('%j is refused with one sentence and changes nothing', async (change, pointer, code) => {
  const { ana, list } = await desk()
  const body = { ...newMailbox(), ...change }
  const refused = await ana.call('POST', '/console/mailboxes', { body })
  expect(refused.json).toMatchObject({ status: 400, errors: [{ pointer, code }] })
  const errors = refused.json.errors as { detail: string }[]
  expect(errors).toHaveLength(1)
  expect(errors[0]?.detail).toMatch(/^[a-zA-Z0-9].* .*\.$/)
  for (const secret of PASSWORDS) expect(refused.text).not.toContain(secret)
  expect(await list()).toEqual([])
})

test('the sentence about a private host names the setting that allows it', async () => {
  const { ana } = await desk()
  const body = newMailbox({ imap: server({ host: '127.0.0.1' }) })
  expect((await ana.call('POST', '/console/mailboxes', { body })).json).toMatchObject({
    errors: [
      {
        detail: '127.0.0.1 is not a public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
      },
    ],
  })
})

test('an organization has one mailbox per address, and another organization its own', async () => {
  const { ana, add, change, list } = await desk()
  await add()
  const second = await add({ address: 'sales@acme.example' })
  const before = await list()
  const again = await ana.call('POST', '/console/mailboxes', {
    body: newMailbox({ address: 'SUPPORT@acme.example' }),
  })
  expect(again.json).toMatchObject({
    status: 409,
    code: 'mailbox_exists',
    detail: 'There is already a mailbox with the address SUPPORT@acme.example.',
  })
  expect((await change(second.id, { address: 'Support@acme.example' })).json).toMatchObject({ status: 409 })
  expect(await list()).toEqual(before)
  expect((await (await desk()).add()).address).toBe('support@acme.example')
})

test('a mailbox can have an address in any script, which is the same in ASCII', async () => {
  const { ana, add } = await desk()
  expect((await add({ address: 'jörg@büro.example' })).address).toBe('jörg@büro.example')
  const again = newMailbox({ address: 'Jörg@xn--bro-hoa.example' })
  expect((await ana.call('POST', '/console/mailboxes', { body: again })).json).toMatchObject({
    status: 409,
    code: 'mailbox_exists',
  })
})

test('a stored password stays with its server and user', async () => {
  const { add, change, passwordsOf, row } = await desk()
  const { id } = await add()
  const { imap, smtp } = await row(id)
  const required = (side: string) => ({
    status: 400,
    errors: [{ pointer: `/${side}/password`, code: 'password_required' }],
  })
  expect((await change(id, { imap: { ...imap, host: 'imap.evil.example' } })).json).toMatchObject(
    required('imap'),
  )
  expect((await change(id, { imap: { ...imap, user: 'other' } })).json).toMatchObject(required('imap'))
  expect((await change(id, { smtp: { ...smtp, host: 'smtp.evil.example' } })).json).toMatchObject(
    required('smtp'),
  )
  expect(await row(id)).toMatchObject({ imap, smtp })
  expect((await change(id, { imap: { ...imap, port: 143, security: 'starttls' } })).status).toBe(200)
  expect(await passwordsOf(id)).toEqual(['first-secret', 'first-secret'])
  await change(id, { imap: { ...imap, password: 'second-secret' } })
  expect(await passwordsOf(id)).toEqual(['second-secret', 'first-secret'])
  await change(id, { smtp: { ...smtp, host: 'smtp2.acme.example', password: 'third-secret' } })
  expect(await passwordsOf(id)).toEqual(['second-secret', 'third-secret'])
  await change(id, { smtp: { ...smtp, user: '' } })
  expect(await passwordsOf(id)).toEqual(['second-secret', null])
})

test('a mailbox is paused, resumed and removed, and its secrets are deleted', async () => {
  const { ana, add, list, row } = await desk()
  const { id } = await add()
  const act = (what: string) => ana.call<Shown>('POST', `/console/mailboxes/${id}/${what}`)
  expect((await act('pause')).json).toMatchObject({
    state: 'paused',
    detail: 'The mailbox support@acme.example is paused.',
  })
  expect((await act('pause')).json).toMatchObject({ state: 'paused' })
  expect((await act('resume')).json).toMatchObject({ state: 'connecting' })
  expect((await ana.call('DELETE', `/console/mailboxes/${id}`)).status).toBe(204)
  expect(await list()).toEqual([])
  expect((await act('resume')).status).toBe(404)
  expect(await row(id)).toMatchObject({
    imapPassword: null,
    smtpPassword: null,
    tokens: null,
    isDefault: false,
  })
  // Its address is free again.
  expect((await add()).id).not.toBe(id)
})

test('removing keeps the mails of tickets, and erases what else the ledger holds', async () => {
  const { orgId, ana, add } = await desk()
  const { id: mailboxId } = await add()
  const mail = {
    orgId,
    mailboxId,
    folder: 'INBOX',
    uidValidity: '1',
    hash: 'abc',
    size: 10,
    receivedAt: 1,
    fromAddress: 'cy@example.com',
    subject: 'Hello',
    createdAt: 1,
  }
  const ids = ['message', 'quarantined', 'pending'].map(() => bellhop.deps.newId('eml'))
  await bellhop.deps.database.write(undefined, async (tx) => {
    await tx.insert(mails).values([
      { ...mail, id: ids[0] ?? '', uid: 1, outcome: 'message', ticketId: 'tkt_1' },
      { ...mail, id: ids[1] ?? '', uid: 2, outcome: 'quarantined' },
      { ...mail, id: ids[2] ?? '', uid: 3, outcome: 'pending' },
    ])
  })
  const ledger = await ana.call('GET', `/console/mailboxes/${mailboxId}/ledger`)
  expect(ledger.json).toEqual({
    onServer: null,
    fetched: 3,
    messages: 1,
    automatic: 0,
    bounces: 0,
    duplicates: 0,
    own: 0,
    quarantined: 1,
    unaccounted: 1,
  })
  const shown = await ana.call('GET', `/console/mailboxes/${mailboxId}`)
  expect(shown.json).toMatchObject({ health: { quarantined: 1 } })
  await ana.call('DELETE', `/console/mailboxes/${mailboxId}`)
  const left = await bellhop.deps.database.read
    .select()
    .from(mails)
    .where(eq(mails.mailboxId, mailboxId))
    .orderBy(asc(mails.uid))
  expect(left).toMatchObject([
    { hash: 'abc', subject: 'Hello' },
    { hash: null, fromAddress: '', subject: '' },
    { hash: 'abc', subject: 'Hello' },
  ])
})

test('one mailbox is the default: the first, the one that is chosen, or the oldest one left', async () => {
  const { ana, add, list } = await desk()
  const [first, second, third] = [
    await add(),
    await add({ address: 'b@acme.example' }),
    await add({ address: 'c@acme.example' }),
  ]
  const defaults = async () => (await list()).filter((one) => one.isDefault).map(({ id }) => id)
  expect(await defaults()).toEqual([first.id])
  await ana.call('POST', `/console/mailboxes/${third.id}/default`)
  expect(await defaults()).toEqual([third.id])
  await ana.call('DELETE', `/console/mailboxes/${second.id}`)
  expect(await defaults()).toEqual([third.id])
  await ana.call('DELETE', `/console/mailboxes/${third.id}`)
  expect(await defaults()).toEqual([first.id])
})

test('every agent sees names, addresses and signatures, and nothing else', async () => {
  const { orgId, add } = await desk()
  const { id } = await add({ signature: '**Acme**' })
  const ben = await signInAgent(bellhop, orgId)
  expect((await ben.call('GET', '/console/mailboxes/senders')).json).toEqual({
    data: [
      {
        id,
        name: 'Support',
        address: 'support@acme.example',
        signature: '**Acme**',
        isDefault: true,
      },
    ],
  })
})

test('the default assignee is an enabled agent, and stays when they are disabled', async () => {
  const { orgId, ana, add, change } = await desk()
  const ben = await signInAgent(bellhop, orgId)
  const { id } = await add({ defaultAssignee: ben.id })
  await ana.call('POST', `/console/agents/${ben.id}/disable`)
  expect((await change(id, { name: 'Renamed' })).json).toMatchObject({
    name: 'Renamed',
    defaultAssignee: ben.id,
  })
  expect((await change(id, { defaultAssignee: null })).json).toMatchObject({ defaultAssignee: null })
  expect((await change(id, { defaultAssignee: ben.id })).status).toBe(400)
})

test('each change is in the audit log without secrets, and tells open pages', async () => {
  const { orgId, ana, add, change, row } = await desk()
  await using page = await openLive(bellhop.url, ana, { after: 0 })
  const workspaceChange = () => page.next('changed', ({ type }) => type === 'workspace.changed')
  const { id } = await add()
  await workspaceChange()
  const { imap } = await row(id)
  await change(id, { signature: 'Bye', imap: { ...imap, port: 143, password: 'second-secret' } })
  await workspaceChange()
  // Changes nothing.
  await change(id, { signature: 'Bye ', name: 'Support' })
  for (const what of ['pause', 'resume']) await ana.call('POST', `/console/mailboxes/${id}/${what}`)
  await ana.call('DELETE', `/console/mailboxes/${id}`)
  const noted = await bellhop.deps.database.read
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.orgId, orgId), eq(auditEntries.subjectId, id)))
    .orderBy(asc(auditEntries.id))
  expect(noted.map(({ action }) => action)).toEqual([
    'mailbox.created',
    'mailbox.changed',
    'mailbox.paused',
    'mailbox.resumed',
    'mailbox.removed',
  ])
  expect(noted.map(({ detail }) => detail)).toEqual([
    null,
    { fields: ['imap', 'signature', 'password'] },
    null,
    null,
    null,
  ])
  expect(noted[0]).toMatchObject({ actorName: 'Ana', subjectLabel: 'support@acme.example' })
  const written = JSON.stringify(noted) + bellhop.logLines.join('\n')
  for (const secret of PASSWORDS) expect(written).not.toContain(secret)
})

test('the servers of large providers are known by the domain of an address', async () => {
  const { ana } = await desk()
  const found = async (address: string) => {
    const path = `/console/mailbox-presets?address=${encodeURIComponent(address)}`
    return (await ana.call<{ match: string | null }>('GET', path)).json.match
  }
  expect(await found('me@gmail.com')).toBe('google')
  expect(await found('me@Outlook.com')).toBe('microsoft')
  expect(await found('me@web.de')).toBe('web-de')
  expect(await found('me@')).toBeNull()
  const all = await ana.call<{ data: { id: string }[] }>('GET', '/console/mailbox-presets')
  expect(all.json).toMatchObject({ match: null })
  expect(all.json.data.length).toBeGreaterThan(15)
  expect(all.json.data[0]).toMatchObject({
    id: 'google',
    imap: { host: 'imap.gmail.com', port: 993, security: 'tls' },
    smtp: { host: 'smtp.gmail.com', port: 465, security: 'tls' },
    signIn: 'google',
  })
})
