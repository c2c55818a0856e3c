import { createServer, type Socket } from 'node:net'

export interface ImapScript {
  greeting?: string
  capabilities?: string
  /** What follows the tag of the answer. */
  starttls?: string
}

interface ScriptedImap {
  port: number
  /** What the client sent. */
  lines: string[]
  stop(): Promise<void>
}

/** An IMAP server without TLS on 127.0.0.1 that misbehaves before the sign-in. */
export async function startImapScript(script: ImapScript): Promise<ScriptedImap> {
  const { greeting = '* OK Ready', capabilities = 'IMAP4rev1 STARTTLS AUTH=PLAIN', starttls } = script
  const lines: string[] = []
  const sockets = new Set<Socket>()

  function answerTo(line: string): string {
    const [tag = '', command = ''] = line.split(' ')
    if (/^CAPABILITY$/i.test(command)) return `* CAPABILITY ${capabilities}\r\n${tag} OK Done`
    if (/^STARTTLS$/i.test(command)) return `${tag} ${starttls ?? 'BAD No'}`
    return `${tag} OK Done`
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write(`${greeting}\r\n`)
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      const parts = (text + chunk.toString('latin1')).split('\r\n')
      text = parts.pop() ?? ''
      for (const line of parts) {
        lines.push(line)
        socket.write(`${answerTo(line)}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port.')
  return {
    port: address.port,
    lines,
    stop() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
