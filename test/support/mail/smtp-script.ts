import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { type Certificate, makeCertificates } from '../certificates.ts'

/** What the script does after a command or a body: replies, says nothing, or cuts the connection. */
export type Step = string | 'hang' | 'cut'

export interface SmtpScript {
  /** From the start by default. */
  tls?: 'starttls' | 'stripped' | undefined
  certificate?: Certificate
  greeting?: Step
  ehlo?: string[]
  /** Answers a command such as `RCPT TO:<ana@example.com>`; undefined is for the usual answer. */
  on?: (command: string, connection: number) => Step | undefined
  /** Says that it took the message once so many bytes of a body have arrived. */
  acceptBodyAfter?: number
  /** Answers a body. */
  body?: (body: string, connection: number) => Step
}

export interface ScriptedSmtp {
  host: string
  port: number
  /** Commands so far, of all connections. */
  commands: string[]
  /** Bodies that arrived to their end, without the last line. */
  bodies: string[]
  connections(): number
  /** Waits for a command that begins like this. */
  saw(command: string): Promise<void>
  /** Cuts every connection. */
  cut(): void
  stop(): Promise<void>
}

const USUAL: [start: RegExp, reply: string][] = [
  [/^AUTH/i, '235 2.7.0 Welcome'],
  [/^(MAIL|RCPT|RSET|NOOP)/i, '250 2.0.0 Ok'],
  [/^DATA/i, '354 Go ahead'],
  [/^QUIT/i, '221 Bye'],
]

/** An SMTP server on 127.0.0.1 that does exactly what a test tells it. */
export async function startSmtpScript(script: SmtpScript = {}): Promise<ScriptedSmtp> {
  const certificate = script.certificate ?? (await makeCertificates()).valid
  const secureContext = createSecureContext(certificate)
  const sockets = new Set<Socket>()
  const commands: string[] = []
  const bodies: string[] = []
  const waiting: { start: string; seen: () => void }[] = []
  let connections = 0

  function serve(raw: Socket): void {
    const connection = connections++
    const usesTls = script.tls === undefined
    talk(usesTls ? secured(raw) : raw, connection, usesTls)
    raw.on('error', () => {})
  }

  function secured(raw: Socket): Socket {
    const socket = new TLSSocket(raw, { isServer: true, secureContext })
    socket.on('error', () => {})
    return socket
  }

  function talk(socket: Socket, connection: number, isSecure: boolean, isGreeted = false): void {
    let text = ''
    let isBody = false
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))

    function act(step: Step): void {
      if (step === 'cut') socket.destroy()
      else if (step !== 'hang') socket.write(`${step}\r\n`)
    }

    function onCommand(command: string): void {
      commands.push(command)
      const step = script.on?.(command, connection) ?? usualStep(command)
      for (const one of waiting.filter(({ start }) => command.startsWith(start))) one.seen()
      act(step)
      if (/^DATA/i.test(command)) isBody = step.startsWith('354')
      if (/^QUIT/i.test(command)) socket.end()
      if (/^STARTTLS/i.test(command) && script.tls === 'starttls') {
        socket.removeAllListeners('data')
        talk(secured(socket), connection, true, true)
      }
    }

    function usualStep(command: string): Step {
      if (/^EHLO/i.test(command)) return capabilities()
      if (/^STARTTLS/i.test(command) && script.tls === 'starttls') return '220 Go ahead'
      return USUAL.find(([start]) => start.test(command))?.[1] ?? '502 5.5.2 Not known'
    }

    function capabilities(): string {
      const offered = script.ehlo ?? ['PIPELINING', 'AUTH PLAIN LOGIN XOAUTH2', '8BITMIME']
      const lines = ['mail.test', ...(script.tls === 'starttls' && !isSecure ? ['STARTTLS'] : []), ...offered]
      return lines.map((line, n) => `250${n === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n')
    }

    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      while (true) {
        if (isBody && text.length >= (script.acceptBodyAfter ?? Number.POSITIVE_INFINITY)) {
          act('250 2.0.0 Queued')
        }
        const last = isBody && text.startsWith('.\r\n') ? '.\r\n' : '\r\n.\r\n'
        const mark = isBody ? last : '\r\n'
        const end = text.indexOf(mark)
        if (end < 0) return
        const line = text.slice(0, end)
        text = text.slice(end + mark.length)
        if (!isBody) onCommand(line)
        else {
          isBody = false
          bodies.push(line)
          act(script.body?.(line, connection) ?? '250 2.0.0 Queued')
        }
      }
    })
    if (!isGreeted) act(script.greeting ?? '220 mail.test ESMTP')
  }

  const server: Server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port.')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    host: '127.0.0.1',
    port: address.port,
    commands,
    bodies,
    connections: () => connections,
    saw: (start) =>
      commands.some((command) => command.startsWith(start))
        ? Promise.resolve()
        : new Promise((seen) => waiting.push({ start, seen })),
    cut,
    stop() {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
