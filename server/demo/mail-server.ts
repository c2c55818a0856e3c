import type { Socket } from 'bun'

/** IMAP and SMTP servers on this machine that take every message, deliver none, and receive no mail. */
export interface DemoMailServer {
  imapPort: number
  smtpPort: number
  /** The number of mails that the inbox holds. */
  holds(mails: number): void
  stop(): void
}

type Answer = (line: string) => string

interface Connection {
  answer: Answer
  /** What arrived of the next line. */
  rest: string
}

/** Both use TLS from the start, with this certificate and key in PEM. */
export function startDemoMailServer(tls: { cert: string; key: string }): DemoMailServer {
  let mails = 0
  const imap = listen(tls, '* OK [CAPABILITY IMAP4rev1 IDLE] Ready\r\n', () => imapAnswers(() => mails))
  const smtp = listen(tls, '220 127.0.0.1 ESMTP\r\n', smtpAnswers)
  return {
    imapPort: imap.port,
    smtpPort: smtp.port,
    holds(count) {
      mails = count
    },
    stop() {
      imap.stop(true)
      smtp.stop(true)
    },
  }
}

function listen(tls: { cert: string; key: string }, greeting: string, answers: () => Answer) {
  return Bun.listen<Connection>({
    hostname: '127.0.0.1',
    port: 0,
    tls,
    socket: {
      open(socket) {
        socket.data = { answer: answers(), rest: '' }
        socket.write(greeting)
      },
      data: (socket, bytes) => hear(socket, bytes.toString('latin1')),
    },
  })
}

function hear(socket: Socket<Connection>, text: string): void {
  const lines = (socket.data.rest + text).split('\r\n')
  socket.data.rest = lines.pop() ?? ''
  for (const line of lines) {
    const answer = socket.data.answer(line)
    if (answer !== '') socket.write(answer)
  }
}

/** What a client needs that signs in, opens a folder without new mail, and waits (RFC 3501, RFC 2177). */
function imapAnswers(mails: () => number): Answer {
  let waiting = ''
  return (line) => {
    if (/^done$/i.test(line)) return `${waiting} OK Done\r\n`
    const [, tag = '*', command = ''] = /^(\S+) (?:UID )?(\S+)/i.exec(line) ?? []
    const done = `${tag} OK Done\r\n`
    switch (command.toUpperCase()) {
      case 'CAPABILITY':
        return `* CAPABILITY IMAP4rev1 IDLE\r\n${done}`
      case 'LIST':
        return `* LIST () "/" "INBOX"\r\n${done}`
      case 'SELECT':
      case 'EXAMINE':
        return `* ${mails()} EXISTS\r\n* OK [UIDVALIDITY 1]\r\n* OK [UIDNEXT ${mails() + 1}]\r\n${tag} OK [READ-ONLY] Done\r\n`
      case 'SEARCH':
        return `* SEARCH\r\n${done}`
      case 'IDLE':
        waiting = tag
        return '+ Waiting\r\n'
      default:
        return done
    }
  }
}

/** RFC 5321. */
function smtpAnswers(): Answer {
  let isBody = false
  return (line) => {
    if (isBody) {
      isBody = line !== '.'
      return isBody ? '' : '250 2.0.0 Taken\r\n'
    }
    const command = line.slice(0, 4).toUpperCase()
    isBody = command === 'DATA'
    if (command === 'EHLO') return '250-127.0.0.1\r\n250-AUTH PLAIN LOGIN\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n'
    if (command === 'AUTH') return '235 2.7.0 Welcome\r\n'
    if (isBody) return '354 Go ahead\r\n'
    return command === 'QUIT' ? '221 2.0.0 Bye\r\n' : '250 2.0.0 Ok\r\n'
  }
}
