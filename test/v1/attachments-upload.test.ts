import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { readConfig } from '../../server/config.ts'
import { attachments } from '../../server/database/tables/attachments.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import * as images from '../support/images.ts'
import { rawRequest } from '../support/raw-request.ts'
import { problemOf, ticketInput } from '../support/tickets.ts'
import { storedFiles, storedPath, tryUpload, upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const LIMIT = 300 * 1024
const settings = { BELLHOP_ATTACHMENT_LIMIT: '300KB' }
const bellhop = await startBellhop({ clock: createManualClock(), settings })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()

const ben = await signInAgent(bellhop, acme.orgId)

const uploadPath = '/v1/attachments?name=note.txt'
const rows = async () => bellhop.deps.database.read.select().from(attachments)
/** What an upload that failed must leave as it was. */
const everything = async () => JSON.stringify([await rows(), storedFiles(bellhop.deps)])

test('an uploaded file is on disk under the SHA-256 of its bytes, readable only by its owner', async () => {
  const file = await upload(acme, 'invoice.txt', 'Pay 42 EUR')
  expect(file).toEqual({ id: file.id, name: 'invoice.txt', type: 'text/plain', size: 10 })
  expect(file.id).toMatch(/^att_/)
  const stored = Bun.file(storedPath(bellhop.deps, 'Pay 42 EUR'))
  expect(await stored.text()).toBe('Pay 42 EUR')
  expect((await stored.stat()).mode & 0o777).toBe(0o600)
})

test('the same bytes are stored once, for attachments with their own names', async () => {
  const before = storedFiles(bellhop.deps).length
  const files = await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((name) => upload(acme, name, 'Twins')))
  expect(new Set(files.map(({ id }) => id)).size).toBe(3)
  expect(files.map(({ name }) => name)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  expect(storedFiles(bellhop.deps)).toHaveLength(before + 1)
})

test('the same upload with the same Idempotency-Key is stored once', async () => {
  const send = (raw: string, name = 'once.txt', by = acme) =>
    by.call<{ id: string }>('POST', `/attachments?name=${name}`, {
      raw,
      headers: { 'idempotency-key': 'file-1' },
    })
  const first = await send('Once')
  const before = await everything()
  const second = await send('Once')
  expect([second.status, second.text]).toEqual([201, first.text])
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  problemOf(await send('Other'), 422, 'idempotency_mismatch')
  problemOf(await send('Once', 'other.txt'), 422, 'idempotency_mismatch')
  expect(await everything()).toBe(before)
  const other = await acme.withKey({ scopes: ['messages:write'] })
  expect((await send('Once', 'once.txt', other)).json.id).not.toBe(first.json.id)
})

test('an answer to an upload is erased with the ticket that has the file', async () => {
  const desk = await acme.withKey({ scopes: ['messages:write', 'tickets:write', 'erase'] })
  const headers = { 'idempotency-key': 'erased' }
  const send = () =>
    desk.call<{ id: string }>('POST', '/attachments?name=secret.txt', { raw: 'Secret', headers })
  const { json } = await send()
  const ticket = await desk.call<{ id: string }>('POST', '/tickets', {
    body: ticketInput({ attachments: [json.id] }),
  })
  expect(ticket.status, ticket.text).toBe(201)
  expect((await desk.call('DELETE', `/tickets/${ticket.json.id}`)).status).toBe(204)
  expect((await send()).json.id).not.toBe(json.id)
})

describe('the type comes from the content:', () => {
  test.each<[name: string, content: string | Uint8Array<ArrayBuffer>, type: string]>([
    ['photo.jpg', images.PNG, 'image/png'],
    ['x', images.GIF, 'image/gif'],
    ['x', images.WEBP, 'image/webp'],
    ['x', images.AVIF, 'image/avif'],
    ['x', images.JPEG, 'image/jpeg'],
    ['x', '%PDF-1.7\n', 'application/pdf'],
    ['x', 'PK\x03\x04rest', 'application/zip'],
    [
      'letter.docx',
      'PK\x03\x04rest',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['list.csv', 'a,b\n1,2\n', 'text/csv'],
    ['list.txt', 'Größe\n', 'text/plain'],
    ['x.png', 'not an image', 'text/plain'],
    ['x.pdf', '\0\x01\x02\x03', 'application/octet-stream'],
    ['photo.png', '<!doctype html><title>x</title>', 'text/html'],
    ['photo.png', '\n <!-- x --> <SCRIPT >alert(1)</SCRIPT>', 'text/html'],
    ['notes.txt', '\ufeff<html><body>', 'text/html'],
    ['photo.png', '<?xml version="1.0"?><!DOCTYPE svg><svg onload="alert(1)"/>', 'image/svg+xml'],
    ['photo.png', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['photo.png', '<!DOCTYPE svg [<!ENTITY x "y">]><svg/>', 'image/svg+xml'],
    ['data.xml', '<?xml version="1.0"?><a/>', 'application/xml'],
    ['page', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'text/html'],
    ['log.txt', 'GET /?q=<script> 400\n', 'text/plain'],
  ])('%s %j is %s', async (name, content, type) => {
    const raw = typeof content === 'string' ? Uint8Array.from(Buffer.from(content, 'utf8')) : content
    expect((await upload(acme, name, raw)).type).toBe(type)
  })

  test('HTML in UTF-16', async () => {
    const raw = Uint8Array.from(Buffer.from('\ufeff<html><body>', 'utf16le'))
    expect((await upload(acme, 'x.txt', raw)).type).toBe('text/html')
  })
})

describe('the dimensions of an image are known as it is shown:', () => {
  test.each([
    ['PNG', images.PNG, 3, 2],
    ['GIF', images.GIF, 3, 2],
    ['WebP', images.WEBP, 3, 2],
    ['WebP with more than one part', images.WEBP_LARGE, 3, 2],
    ['lossy WebP', images.WEBP_LOSSY, 3, 2],
    ['AVIF', images.AVIF, 3, 2],
    ['JPEG', images.JPEG, 3, 2],
    ['JPEG of a phone held upright', images.JPEG_TURNED, 2, 3],
    ['JPEG with a long preview', images.JPEG_WITH_PREVIEW, 3, 2],
  ])('%s', async (_, content, width, height) => {
    expect(await upload(acme, 'photo', content)).toMatchObject({ width, height })
  })

  test('but not of one that is cut off', async () => {
    expect(await upload(acme, 'photo', images.JPEG_CUT_OFF)).not.toHaveProperty('width')
    expect(await upload(acme, 'photo', images.PNG.slice(0, 18))).not.toHaveProperty('width')
  })
})

describe('a name', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ana\\scan.pdf', 'scan.pdf'],
    ['a\r\nSet-Cookie: x.txt', 'aSet-Cookie: x.txt'],
    ['invoice\u202egnp.exe', 'invoicegnp.exe'],
    ['invoice\u200f.pdf\u061c.exe', 'invoice.pdf.exe'],
    ['..', 'file'],
    ['/', 'file'],
    ['Übersicht 🧾 (neu).xlsx', 'Übersicht 🧾 (neu).xlsx'],
    [`${'ä'.repeat(251)}.pdf`, `${'ä'.repeat(251)}.pdf`],
  ])('%j is shown as %j', async (given, shown) => {
    expect((await upload(acme, given)).name).toBe(shown)
  })

  test('is required, and at most 255 characters', async () => {
    for (const query of [
      '',
      '?name=',
      '?name=%20',
      `?name=${'x'.repeat(256)}`,
      '?name=a&name=b',
      '?title=a',
    ]) {
      const answer = await acme.call('POST', `/attachments${query}`, { raw: 'x' })
      const { errors } = problemOf(answer, 400, 'invalid_request')
      expect(errors?.map(({ parameter }) => parameter)).toContain(
        query.startsWith('?title') ? 'title' : 'name',
      )
    }
  })
})

describe('refused without a trace:', () => {
  test('an empty file', async () => {
    const before = await everything()
    problemOf(await tryUpload(acme, 'x', ''), 400, 'empty_file')
    const chunked = { method: 'POST', target: uploadPath, body: '0\r\n\r\n' }
    const headers = { authorization: `Bearer ${acme.key}`, 'transfer-encoding': 'chunked' }
    problemOf(await rawRequest(bellhop.url, { ...chunked, headers }), 400, 'empty_file')
    expect(await everything()).toBe(before)
  })

  test('a file over the limit, announced or not', async () => {
    expect((await tryUpload(acme, 'x', new Uint8Array(LIMIT))).status).toBe(201)
    const before = await everything()
    const answer = await tryUpload(acme, 'x', new Uint8Array(LIMIT + 1))
    expect(problemOf(answer, 413, 'file_too_large').detail).toBe('The file is larger than 300 KB.')
    const headers = { authorization: `Bearer ${acme.key}`, 'transfer-encoding': 'chunked' }
    const body = `${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}\r\n`
    const unannounced = await rawRequest(bellhop.url, { method: 'POST', target: uploadPath, headers, body })
    problemOf(unannounced, 413, 'file_too_large')
    expect(await everything()).toBe(before)
  })

  test('an upload whose sender goes away', async () => {
    const before = await everything()
    const { hostname, port } = new URL(bellhop.url)
    const socket = connect({ host: hostname, port: Number(port) })
    const head = `POST ${uploadPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.key}\r\nContent-Length: 200000\r\n\r\n`
    socket.write(head + 'x'.repeat(100_000))
    await eventually(() => storedFiles(bellhop.deps).some((name) => name.length === 36))
    socket.destroy()
    await eventually(async () => (await everything()) === before)
  })

  test('a compressed file', async () => {
    const before = await everything()
    const headers = { 'content-encoding': 'gzip' }
    const answer = await acme.call('POST', '/attachments?name=x', { raw: 'x', headers })
    problemOf(answer, 415, 'unsupported_media_type')
    expect(await everything()).toBe(before)
  })

  test('a form, whose parts would be stored as the file', async () => {
    const before = await everything()
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const raw = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nA file\r\n--x--\r\n'
    for (const path of ['/attachments', '/attachments?name=x']) {
      const answer = await acme.call('POST', path, { raw, headers })
      expect(problemOf(answer, 415, 'unsupported_media_type').detail).toContain('not a multipart form')
    }
    expect(await everything()).toBe(before)
  })

  test('a file without a key, with one that may not write, or from the page of another site', async () => {
    const before = await everything()
    const reader = await acme.withKey({ scopes: ['tickets:read', 'tickets:write'] })
    problemOf(await tryUpload(reader, 'x', 'x'), 403, 'missing_scope')
    const headers = { 'content-length': '5000000' }
    const stranger = { method: 'POST', target: uploadPath, headers, body: 'x' }
    problemOf(await rawRequest(bellhop.url, stranger), 401, 'unauthorized')
    const crossSite = { raw: 'x', headers: { 'sec-fetch-site': 'cross-site' } }
    problemOf(await ben.call('POST', uploadPath, crossSite), 403, 'cross_origin')
    expect(await everything()).toBe(before)
  })
})

test('an upload is deleted by its uploader, and by no one else', async () => {
  const other = await acme.withKey()
  const file = await upload(acme, 'x.txt', 'Unwanted')
  problemOf(await other.call('DELETE', `/attachments/${file.id}`), 404, 'not_found')
  expect((await acme.call('DELETE', `/attachments/${file.id}`)).status).toBe(204)
  problemOf(await acme.call('DELETE', `/attachments/${file.id}`), 404, 'not_found')
  expect((await rows()).map(({ id }) => id)).not.toContain(file.id)
  expect(await Bun.file(storedPath(bellhop.deps, 'Unwanted')).exists()).toBe(false)
})

test('a limit is given as a size', () => {
  const limitOf = (value: string) => readConfig({ BELLHOP_ATTACHMENT_LIMIT: value }).attachmentLimitBytes
  expect(['', '500', '10kb', '25MB', '2 GB'].map(limitOf)).toEqual([
    25 * 2 ** 20,
    500,
    10 * 2 ** 10,
    25 * 2 ** 20,
    2 ** 31,
  ])
  for (const wrong of ['0', '-1MB', '1.5MB', '25MiB', 'much']) {
    expect(() => limitOf(wrong)).toThrow(
      `BELLHOP_ATTACHMENT_LIMIT is "${wrong}". It must be a size such as 25MB.`,
    )
  }
})
