import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { makeCertificates } from '../certificates.ts'
import type { OauthServer } from './oauth-server.ts'
import { reservePort } from './ports.ts'

const NEVER_MS = 3_600_000
const WAIT_EVERY_MS = 10
const MAX_WAIT_MS = 30_000

/**
 * `connect` is before the greeting, `sender` MAIL FROM, `recipient` RCPT TO, `data` the command before the body, `body`
 * while the body comes in, and `end` when all of it is here but not answered.
 */
export type SmtpStage = 'connect' | 'auth' | 'sender' | 'recipient' | 'data' | 'body' | 'end'

export interface SmtpFault {
  at: SmtpStage
  /** Answers with a code and text, answers nothing more, or closes the connection. A body can't be answered before its end. */
  does: { code: number; text: string } | 'hang' | 'cut'
  /** Concerns this recipient only. */
  recipient?: string
  /** Of a body: how much comes in first. */
  afterBytes?: number
  /** At `end`: the message is taken all the same, although the client never learns it. */
  keeps?: boolean
  /** How often; once by default. */
  times?: number
}

export interface SentMessage {
  from: string
  to: string[]
  /** As it came, without what SMTP adds. */
  raw: Buffer
  /** Who signed in. */
  user?: string
  secure: boolean
}

export interface SmtpFaults {
  host: string
  /** Offers STARTTLS. */
  port: number
  /** TLS from the first byte. */
  tlsPort: number
  /** What was taken, oldest first. */
  messages: SentMessage[]
  /** The stages that were reached, oldest first, such as `recipient bob@elsewhere.test`. */
  steps: string[]
  fail(...faults: SmtpFault[]): void
  /** Forgets the faults that have not happened. */
  heal(): void
  waitForMessages(count: number): Promise<SentMessage[]>
  connections(): number
  /** Cuts all connections. */
  stop(): Promise<void>
  /** On the same ports. */
  start(): Promise<void>
}

/** Starts an SMTP server on 127.0.0.1 that does what a test asks for, and takes every message otherwise. */
export async function startSmtpFaults(
  given: {
    /** Who must sign in; without users and `oauth` nobody has to. */
    users?: Record<string, string>
    /** Whose tokens are good by XOAUTH2. */
    oauth?: Pick<OauthServer, 'accepts'>
    /** Offers no TLS on `port`. */
    withoutTls?: boolean
  } = {},
): Promise<SmtpFaults> {
  const [port, tlsPort] = [reservePort(), reservePort()]
  const { valid } = await makeCertificates()
  const mustSignIn = given.users !== undefined || given.oauth !== undefined
  let faults: (SmtpFault & { times: number })[] = []
  let running: SMTPServer[] = []

  const server: SmtpFaults = {
    host: '127.0.0.1',
    port,
    tlsPort,
    messages: [],
    steps: [],
    fail: (...added) => void faults.push(...added.map((fault) => ({ times: 1, ...fault }))),
    heal() {
      faults = []
    },
    async waitForMessages(count) {
      for (let waited = 0; server.messages.length < count; waited += WAIT_EVERY_MS) {
        if (waited > MAX_WAIT_MS) throw new Error(`${server.messages.length} of ${count} messages came.`)
        await Bun.sleep(WAIT_EVERY_MS)
      }
      return server.messages
    },
    connections: () => running.reduce((sum, { connections }) => sum + connections.size, 0),
    async stop() {
      for (const { connections } of running) for (const { _socket } of connections) _socket.destroy()
      await Promise.all(running.map((one) => new Promise<void>((resolve) => one.close(() => resolve()))))
      running = []
    },
    async start() {
      if (running.length > 0) return
      running = [make(false), make(true)]
      await Promise.all([listen(running[0], port), listen(running[1], tlsPort)])
    },
  }

  function make(secure: boolean): SMTPServer {
    const disabledCommands = [...(given.withoutTls ? ['STARTTLS'] : []), ...(mustSignIn ? [] : ['AUTH'])]
    const smtp = new SMTPServer({
      secure,
      ...valid,
      authOptional: !mustSignIn,
      authMethods: ['PLAIN', 'LOGIN', ...(given.oauth ? ['XOAUTH2'] : [])],
      disabledCommands,
      disableReverseLookup: true,
      logger: false,
      socketTimeout: NEVER_MS,
      closeTimeout: 1,
      onConnect(session, done) {
        watchData(session)
        answer(reach(session, 'connect'), done)
      },
      onAuth({ username = '', password, accessToken }, session, done) {
        const isGood =
          accessToken === undefined
            ? password != null && given.users?.[username] === password
            : given.oauth?.accepts(username, accessToken)
        const outcome = reach(session, 'auth')
        if (outcome !== 'go on') answer(outcome, done)
        else if (isGood) done(null, { user: username })
        else done(refusal({ code: 535, text: '5.7.8 Wrong user name or password' }))
      },
      onMailFrom: (_sender, session, done) => answer(reach(session, 'sender'), done),
      onRcptTo: ({ address }, session, done) => answer(reach(session, 'recipient', address), done),
      onData(stream, session, done) {
        const { mailFrom, rcptTo } = session.envelope
        const chunks: Buffer[] = []
        const inBody = take('body')
        let bytes = 0
        server.steps.push('body')
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          bytes += chunk.length
          if (!inBody || bytes < (inBody.afterBytes ?? 0)) return
          if (inBody.does === 'hang') stream.pause()
          else cut(session)
        })
        stream.on('end', () => {
          const message: SentMessage = {
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks),
            user: session.user,
            secure: session.secure,
          }
          const keeps = faults.find(({ at }) => at === 'end')?.keeps
          const outcome = reach(session, 'end')
          if (outcome === 'go on' || keeps) server.messages.push(message)
          answer(outcome, done)
        })
      },
    })
    // Broken connections are what this server is for.
    smtp.on('error', () => {})
    return smtp

    /** The library asks nobody before it lets the body come. */
    function watchData(session: SMTPServerSession): void {
      const connection = connectionOf(session)
      if (!connection) return
      const handle = connection.handler_DATA.bind(connection)
      connection.handler_DATA = (command, callback) => {
        const outcome = reach(session, 'data')
        if (outcome === 'go on') handle(command, callback)
        if (typeof outcome === 'string') return
        connection.send(outcome.responseCode, outcome.message)
        callback()
      }
    }

    function reach(session: SMTPServerSession, at: SmtpStage, recipient?: string): Outcome {
      server.steps.push(recipient === undefined ? at : `${at} ${recipient}`)
      const fault = take(at, recipient)
      if (!fault) return 'go on'
      if (typeof fault.does === 'object') return refusal(fault.does)
      if (fault.does === 'cut') cut(session)
      return 'silence'
    }

    function cut(session: SMTPServerSession): void {
      connectionOf(session)?._socket.destroy()
    }

    function connectionOf(session: SMTPServerSession) {
      return [...smtp.connections].find(({ id }) => id === session.id)
    }
  }

  function take(at: SmtpStage, recipient?: string): SmtpFault | undefined {
    const fault = faults.find((one) => one.at === at && (!one.recipient || one.recipient === recipient))
    if (!fault) return undefined
    fault.times -= 1
    faults = faults.filter(({ times }) => times > 0)
    return fault
  }

  await server.start()
  return server
}

type Refusal = Error & { responseCode: number }
type Outcome = 'go on' | 'silence' | Refusal

function answer(outcome: Outcome, done: (error?: Error) => void): void {
  if (outcome === 'go on') done()
  else if (outcome !== 'silence') done(outcome)
}

function refusal({ code, text }: { code: number; text: string }): Refusal {
  return Object.assign(new Error(text), { responseCode: code })
}

function listen(server: SMTPServer | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server?.server.once('error', reject)
    server?.listen(port, '127.0.0.1', () => resolve())
  })
}
