import { SOURCES } from '../support/program.ts'

interface Cookie {
  name: string
  value: string
}

/** A running server, and what a visitor of it needs. Of the demo: who is signed in, and tickets worth a look. */
export interface Shown {
  url: string
  cookies: { admin?: Cookie; agent?: Cookie; nobody?: Cookie }
  ids: { longThread: string; failedSend: string; joinPath: string }
  stop(): Promise<void>
}

const MAX_START_MS = 30_000

/** Starts the program as a person does, on a free port, and signs in with what it prints. */
export async function runProgramOn(args: string[], place: Record<string, string>): Promise<Shown> {
  const child = Bun.spawn([...SOURCES, 'serve', ...args], {
    env: { PATH: process.env.PATH, PORT: '0', BELLHOP_LOG: 'error', ...place },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const said = await firstWords(child.stdout, args.includes('--demo') ? /Bearer \S+/ : /welcome#\S+/)
  const url = /(?:running|Sign in) at (\S+)/.exec(said)?.[1] ?? ''
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  const password = /with the password (\S+)/.exec(said)?.[1]
  if (!password) return { url, cookies: {}, ids: { longThread: '', failedSend: '', joinPath: '' }, stop }
  const admin = await signIn(url, 'ana@parcelbird.example', password)
  const agent = await signIn(url, 'mei@parcelbird.example', password)
  return { url, cookies: { admin, agent }, ids: await worthALook(url, admin), stop }
}

async function signIn(url: string, email: string, password: string): Promise<Cookie> {
  const answer = await ask(url, 'POST', '/console/session', undefined, { email, password })
  const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? []
  return { name, value }
}

async function worthALook(url: string, admin: Cookie): Promise<Shown['ids']> {
  const first = async (query: string) => {
    const answer = await ask(url, 'GET', `/console/tickets?q=${encodeURIComponent(query)}&limit=100`, admin)
    const { data }: { data: { id: string }[] } = await answer.json()
    return data.map(({ id }) => id)
  }
  const lengthOf = async (id: string) => {
    const { messages }: { messages: unknown[] } = await (
      await ask(url, 'GET', `/v1/tickets/${id}`, admin)
    ).json()
    return { id, length: messages.length }
  }
  const open = await Promise.all((await first('status:open')).map(lengthOf))
  const [failedSend = ''] = await first('is:failed')
  const invited = await ask(url, 'POST', '/console/agents', admin, {
    name: 'Noor Aziz',
    email: 'noor@parcelbird.example',
    role: 'agent',
  })
  const { link }: { link: { url: string } } = await invited.json()
  const [longest] = open.sort((one, other) => other.length - one.length)
  return {
    longThread: longest?.id ?? '',
    failedSend,
    joinPath: link.url.slice(new URL(link.url).origin.length),
  }
}

function ask(url: string, method: string, path: string, cookie?: Cookie, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(cookie ? { cookie: `${cookie.name}=${cookie.value}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
}

async function firstWords(stream: ReadableStream<Uint8Array<ArrayBuffer>>, last: RegExp): Promise<string> {
  let said = ''
  const until = performance.now() + MAX_START_MS
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    said += text
    if (last.test(said)) return said
    if (performance.now() > until) break
  }
  throw new Error(`The server did not say what was expected: ${said}`)
}
