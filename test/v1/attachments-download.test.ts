import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import * as images from '../support/images.ts'
import { makeTicket } from '../support/tickets.ts'
import { download, storedPath, upload } from '../support/uploads.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const { url, deps } = bellhop
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })

/** Uploads a file and sends it to a customer. */
async function sent(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const { id } = await upload(acme, name, content)
  const ticket = await makeTicket(acme)
  const body = { text: 'It is attached.', attachments: [id] }
  expect((await acme.call('POST', `/tickets/${ticket.id}/messages`, { body })).status).toBe(201)
  return id
}

const get = (id: string, headers: Record<string, string> = {}) => download(acme, url, { id, headers })

test('a file comes back as it was, to keys and agents, and can be kept', async () => {
  const content = crypto.getRandomValues(new Uint8Array(60_000))
  const id = await sent('random.bin', content)
  for (const by of [acme, ben]) {
    const answer = await download(by, url, { id })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(await answer.bytes()).toEqual(content)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('vary')).toBe('Authorization, Cookie')
    const etag = answer.headers.get('etag') ?? ''
    const again = await download(by, url, { id, headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
  }
})

test('HEAD describes a file without sending it', async () => {
  const id = await sent('note.txt', 'Only its size')
  const headers = { authorization: `Bearer ${acme.key}` }
  const answer = await fetch(`${url}/v1/attachments/${id}`, { method: 'HEAD', headers })
  const described = ['content-length', 'content-type', 'content-disposition'].map((name) =>
    answer.headers.get(name),
  )
  expect([answer.status, await answer.text()]).toEqual([200, ''])
  expect(described).toEqual([
    '13',
    'text/plain; charset=utf-8',
    `attachment; filename="note.txt"; filename*=UTF-8''note.txt`,
  ])
})

describe('nothing in a file can run:', () => {
  test.each<[name: string, content: string | Uint8Array<ArrayBuffer>, kind: string, type: string]>([
    ['a.png', images.PNG, 'inline', 'image/png'],
    ['a.jpg', images.JPEG, 'inline', 'image/jpeg'],
    ['a.gif', images.GIF, 'inline', 'image/gif'],
    ['a.webp', images.WEBP, 'inline', 'image/webp'],
    ['a.avif', images.AVIF, 'inline', 'image/avif'],
    ['a.svg', '<svg onload="alert(1)"/>', 'attachment', 'application/octet-stream'],
    ['a.png', '<svg onload="alert(1)"/>', 'attachment', 'application/octet-stream'],
    ['a.png', '<script>alert(1)</script>', 'attachment', 'application/octet-stream'],
    ['a.html', '<html></html>', 'attachment', 'application/octet-stream'],
    ['a.xml', '<?xml version="1.0"?><a/>', 'attachment', 'application/octet-stream'],
    ['a.js', 'alert(1)', 'attachment', 'application/octet-stream'],
    ['a.pdf', '%PDF-1.7', 'attachment', 'application/pdf'],
    ['a.txt', 'alert(1)', 'attachment', 'text/plain; charset=utf-8'],
  ])('%s %p is sent as %s', async (name, content, kind, type) => {
    const answer = await get(await sent(name, content))
    expect(answer.status).toBe(200)
    const { headers } = answer
    expect(headers.get('content-disposition')).toBe(`${kind}; filename="${name}"; filename*=UTF-8''${name}`)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })
})

test.each([
  ['Übersicht 🧾.pdf', `filename="Ubersicht .pdf"; filename*=UTF-8''%C3%9Cbersicht%20%F0%9F%A7%BE.pdf`],
  [`a"b'c%d;e.txt`, `filename="a_b'c_d;e.txt"; filename*=UTF-8''a%22b%27c%25d%3Be.txt`],
  ['領収書', `filename="file"; filename*=UTF-8''%E9%A0%98%E5%8F%8E%E6%9B%B8`],
])('the name %s arrives in old and new browsers', async (name, header) => {
  const answer = await get(await sent(name, '\0\x01'))
  expect(answer.headers.get('content-disposition')).toBe(`attachment; ${header}`)
})

describe('a part of a file', () => {
  const content = 'abcdefghij'
  const file = sent('letters.txt', content)

  test.each([
    ['bytes=0-3', 'abcd', 'bytes 0-3/10'],
    ['bytes=4-', 'efghij', 'bytes 4-9/10'],
    ['bytes=-2', 'ij', 'bytes 8-9/10'],
    ['bytes=-99', content, 'bytes 0-9/10'],
    ['bytes=8-99', 'ij', 'bytes 8-9/10'],
  ])('%s is %s', async (range, text, contentRange) => {
    const answer = await get(await file, { range })
    expect([answer.status, answer.headers.get('content-range'), await answer.text()]).toEqual([
      206,
      contentRange,
      text,
    ])
    expect(answer.headers.get('content-length')).toBe(String(text.length))
  })

  test.each(['bytes=3-1', 'bytes=a-b', 'bytes=-', 'bytes=0-1,3-4', 'lines=0-1'])(
    '%s is the whole file',
    async (range) => {
      const answer = await get(await file, { range })
      expect([answer.status, await answer.text()]).toEqual([200, content])
    },
  )

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s is outside', async (range) => {
    const answer = await get(await file, { range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })

  test('of another version is the whole file', async () => {
    const { headers } = await get(await file)
    const range = 'bytes=0-3'
    expect((await get(await file, { range, 'if-range': headers.get('etag') ?? '' })).status).toBe(206)
    expect((await get(await file, { range, 'if-range': '"other"' })).status).toBe(200)
  })
})

test('an upload that is not sent is only for its uploader', async () => {
  const { id } = await upload(ben, 'draft.txt', 'Not yet')
  expect((await download(ben, url, { id })).status).toBe(200)
  expect((await download(ana, url, { id })).status).toBe(404)
  expect((await download(acme, url, { id })).status).toBe(404)
})

test('a file of a note is for agents and for keys that may read notes, like the note', async () => {
  const { id } = await upload(ben, 'internal.txt', 'Careful with this one')
  const ticket = await makeTicket(acme)
  const path = `/console/tickets/${ticket.id}/notes/${createId('not', clock.now())}`
  expect((await ben.call('PUT', path, { body: { text: '', attachments: [id] } })).status).toBe(201)
  expect((await download(ana, url, { id })).status).toBe(200)
  const reader = await acme.withKey({ scopes: ['tickets:read', 'messages:write'] })
  expect((await download(reader, url, { id })).status).toBe(404)
  expect((await download(acme, url, { id })).status).toBe(200)
})

describe('a file that is damaged on the disk gets a clear answer, and the log says which it is:', () => {
  const damage = async (content: string, how: (path: string) => void) => {
    const id = await sent('x.txt', content)
    expect((await get(id)).status).toBe(200)
    how(storedPath(deps, content))
    const answer = await get(id)
    const { code, detail } = await answer.json()
    const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
    expect(
      bellhop.logLines.find((line) => line.includes('attachment_file_damaged') && line.includes(hash)),
    ).toBeDefined()
    return { id, status: answer.status, code, detail }
  }

  test('missing', async () => {
    const { id, ...answer } = await damage('Gone', rmSync)
    expect(answer).toEqual({
      status: 404,
      code: 'file_missing',
      detail: 'The file is missing on the server. It may be in a backup.',
    })
    // The same bytes again mend it.
    await upload(acme, 'y.txt', 'Gone')
    expect(await (await get(id)).text()).toBe('Gone')
  })

  test.each(['Changed', 'Another length'])('changed to %j', async (now) => {
    const { id, ...answer } = await damage(`Origin${now.length}`, (path) => writeFileSync(path, now))
    expect(answer).toMatchObject({ status: 404, code: 'file_changed' })
    await upload(acme, 'y.txt', `Origin${now.length}`)
    expect((await get(id)).status).toBe(200)
  })
})
