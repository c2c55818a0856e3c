import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type Clock, systemClock } from '../../server/clock.ts'
import { createLog } from '../../server/log.ts'
import { createAddressPolicy } from '../../server/network/address-policy.ts'
import type { Resolve } from '../../server/network/checked-lookup.ts'
import { createSender, type Sender } from '../../server/webhooks/deliveries/send.ts'
import { type Certificates, makeCertificates } from './certificates.ts'
import { type Respond, startRawReceiver, startReceiver } from './receiver.ts'

// One attempt of a delivery, and its receiver: `afterEach(endSending)` ends what a test has begun here.

/** Time limit of a sender, unless given. No test waits for it: those of slow receivers move a clock. */
export const TIMEOUT_MS = 30_000
/** More than any test sends at the same time. */
const AT_ONCE = 100
export const BODY = new TextEncoder().encode('{"event":"ticket.created","data":{"subject":"Grüße 🛎️"}}')
export const certificates = await makeCertificates()
const begun: (() => unknown)[] = []

export async function endSending(): Promise<void> {
  for (const end of begun.splice(0).reverse()) await end()
}

/** By default, it trusts the tests' own authority, may connect to this machine, and resolves every name to it. */
export function senderWith(
  given: {
    allow?: string[]
    clock?: Clock
    timeoutMs?: number
    ca?: string | undefined
    resolve?: Resolve | undefined
  } = {},
): Sender {
  const { allow = ['127.0.0.1'], clock = systemClock, timeoutMs = TIMEOUT_MS } = given
  const resolve = 'resolve' in given ? given.resolve : async () => ['127.0.0.1']
  const sender = createSender({
    clock,
    log: createLog('error', false, () => {}, Date.now),
    policy: createAddressPolicy(allow),
    timeoutMs,
    ca: 'ca' in given ? given.ca : certificates.ca,
    ...(resolve && { resolve }),
  })
  begun.push(() => sender.close())
  return sender
}

export async function receiverThat(respond: Respond, cert: Certificates['valid'] = certificates.valid) {
  const receiver = await startReceiver({ respond, cert })
  begun.push(() => receiver.stop())
  return receiver
}

export async function rawReceiverThat(onSocket: (socket: TLSSocket) => void) {
  const receiver = await startRawReceiver(onSocket)
  begun.push(() => receiver.stop())
  return receiver
}

/** The port of a plain TCP server. */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  begun.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}

export async function post(sender: Sender, url: string, headers = {}, endpointId = 'whe_1') {
  const result = await sender.send({ endpointId, url, headers, body: BODY }, AT_ONCE)
  if (result === 'unsent') throw new Error('It was not sent.')
  return result
}

/** For a raw receiver: answers the first bytes with these. */
export function answer(written: string) {
  return (socket: TLSSocket) => socket.once('data', () => socket.write(written))
}

export function hangUp(socket: TLSSocket): void {
  socket.once('data', () => socket.destroy())
}

export function repeat(socket: TLSSocket, everyMs: number, call: () => void): void {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : call()), everyMs)
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
