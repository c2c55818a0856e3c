import { connect } from 'node:net'
import { call } from './bellhop.ts'

/** A request to create a ticket whose body is on its way. */
export interface HalfRequest {
  /** Sends the rest and returns everything that the server answered until it closed the connection. */
  finish(): Promise<string>
}

/** Starts to create a ticket and sends part of its body. */
export async function sendHalf(
  { url, key }: { url: string; key: string },
  body: string,
): Promise<HalfRequest> {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  // Without it, the later request can overtake on a connection that is open already.
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(
    `POST /v1/tickets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 9)}`,
  )
  // A response to a later request on the same machine means that the bytes above have arrived.
  await call('GET', `${url}/health/live`)
  return {
    async finish() {
      socket.write(body.slice(9))
      await closed
      return answer
    },
  }
}
