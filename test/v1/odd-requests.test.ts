import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { rawRequest } from '../support/raw-request.ts'
import { listTickets, makeTicket, problemOf } from '../support/tickets.ts'

// Requests that no well-kept client sends: they get a plain answer, and leave no alarm in the log.

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())

describe('a Host header of', () => {
  test.each([
    '',
    ' ',
    '%',
    '[',
    'a b',
    'x:99999999',
    '//',
    '?',
    '#',
    '\\',
    '@',
    '..',
    'x/y',
    'http://x',
    'evil.example',
  ])('%j changes no answer', async (host) => {
    const client = await bellhop.organization()
    await makeTicket(client)
    const headers = { authorization: `Bearer ${client.key}`, host }
    const list = await rawRequest(bellhop.url, { method: 'GET', target: '/v1/tickets?per_page=1', headers })
    expect([list.status, JSON.parse(list.text)]).toEqual([200, await listTickets(client, '?per_page=1')])
    const nowhere = await rawRequest(bellhop.url, { method: 'GET', target: '/nowhere?x=1', headers })
    problemOf(nowhere, 404, 'unknown_route')
    const wrong = await rawRequest(bellhop.url, { method: 'DELETE', target: '/v1/tickets', headers })
    problemOf(wrong, 405, 'method_not_allowed')
  })
})

describe('a client that hangs up within its body', () => {
  test.each([
    ['of a known length', 'content-length: 1000\r\n\r\n{"subject"'],
    ['of chunks', 'transfer-encoding: chunked\r\n\r\n50\r\n{"subject"'],
    ['of broken chunks', 'transfer-encoding: chunked\r\n\r\nZZ\r\n{"subject"'],
  ])('%s changes nothing and is no fault of ours', async (_, rest) => {
    const client = await bellhop.organization()
    const from = bellhop.logLines.length
    await hangUp(
      `POST /v1/tickets HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.key}\r\ncontent-type: application/json\r\n${rest}`,
    )
    expect((await listTickets(client)).meta.total).toBe(0)
    const alarms = bellhop.logLines.slice(from).filter((line) => /"level":"(warn|error)"/.test(line))
    expect(alarms).toEqual([])
  })
})

test('a request with both a length and chunks, or with two lengths, is refused', async () => {
  const client = await bellhop.organization()
  const { id: ticketId } = await makeTicket(client)
  const shared = { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' }
  const target = `/v1/tickets/${ticketId}/messages`
  const both = { ...shared, 'content-length': '4', 'transfer-encoding': 'chunked' }
  expect(
    (await rawRequest(bellhop.url, { method: 'POST', target, headers: both, body: '0\r\n\r\n' })).status,
  ).toBe(400)
  const two = { ...shared, 'Content-Length': '4', 'content-length': '5' }
  expect(
    (await rawRequest(bellhop.url, { method: 'POST', target, headers: two, body: 'null ' })).status,
  ).toBe(400)
})

/** Sends half a request; settles when the server has given the connection up. */
function hangUp(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(bellhop.url)
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.end(text))
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.resume()
  })
}
