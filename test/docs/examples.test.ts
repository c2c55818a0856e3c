import { afterAll, beforeAll, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import type { OpenApiDocument } from '../../server/http/openapi/document.ts'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, call, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeTicket, readTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'
import { testWith } from './runtimes.ts'

// The examples of the reference run as they are. In between, a server puts the ids of this test where they have made-up
// ones, and passes the request of each operation on once: the others have to be the same, and get the same answer.

const LANGUAGES = ['sh', 'typescript', 'python'] as const
const EXAMPLE_ID = /\b([a-z]{3})_01jq8z5w8wf6r9f5v0h3q1x2\w\w\b/g

interface Passed {
  request: { method: string; path: string; type: string | null; key: string | null; body: unknown }
  answer: { status: number; type: string | null; body: Uint8Array<ArrayBuffer> }
}

let bellhop: Bellhop
let receiver: Receiver
let client: Client
let agentId: string
let between: Bun.Server<undefined>
let document: OpenApiDocument
const folder = temporaryFolder('examples')
const passed = new Map<string, Promise<Passed>>()
/** `python createTicket`: what it asked for. */
const asked = new Map<string, Passed['request']>()

beforeAll(async () => {
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() }
  bellhop = await startBellhop({ settings })
  receiver = await startReceiver()
  const { orgId, withKey } = await bellhop.organization()
  client = await withKey({ scopes: [...KEY_SCOPES], rateLimit: 100_000 })
  agentId = (await signInAgent(bellhop, orgId)).id
  document = (await call<OpenApiDocument>('GET', `${bellhop.url}/v1/openapi.json`)).json
  between = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: passOn })
  writeFileSync(join(folder, 'invoice.pdf'), '%PDF-1.7')
})
afterAll(async () => {
  await between.stop(true)
  await bellhop.stop()
  await receiver.stop()
})

testWith(
  ['bash', 'curl', 'python3'],
  'the examples of every operation make the same request in curl, TypeScript and Python, and the server accepts it',
  async () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
    await Promise.all(
      operations.map(async ({ operationId }) => {
        const page = await (await fetch(`${bellhop.url}/docs/operations/${operationId}.md`)).text()
        for (const language of LANGUAGES) {
          const [, code = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page) ?? []
          writeFileSync(join(folder, `${operationId}.${language === 'typescript' ? 'ts' : language}`), code)
        }
      }),
    )
    const names = operations.map(({ operationId }) => operationId)
    const base = `http://127.0.0.1:${between.port}`
    await run(
      names.map((name) => `BELLHOP=${base}/sh/${name}; source ./${name}.sh >/dev/null 2>&1`).join('\n'),
      ['bash'],
    )
    const imports = names.map(
      (name) => `process.env.BELLHOP = '${base}/typescript/${name}'\nawait import('./${name}.ts')`,
    )
    const python = names.map(
      (name) =>
        `os.environ["BELLHOP"] = "${base}/python/${name}"\ntry: exec(open("${name}.python").read(), {})\nexcept urllib.error.HTTPError: pass`,
    )
    await Promise.all([
      run(imports.join('\n'), [process.execPath, 'run', '-']),
      run(`import os, urllib.error\n${python.join('\n')}`, ['python3', '-']),
    ])

    for (const { operationId, responses } of operations) {
      const real = await passed.get(operationId)
      const wanted = Object.keys(responses).filter((status) => status.startsWith('2'))
      const said = new TextDecoder().decode(real?.answer.body)
      expect([operationId, wanted.includes(`${real?.answer.status}`), said]).toEqual([
        operationId,
        true,
        said,
      ])
      for (const language of LANGUAGES) {
        const request = asked.get(`${language} ${operationId}`)
        expect([language, operationId, request]).toEqual([language, operationId, real?.request])
      }
    }
  },
  60_000,
)

/** `/python/createTicket/tickets`: of an example, the operation and the path of the API. */
async function passOn(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const [, language = '', name = '', path = ''] = /^\/(\w+)\/(\w+)(\/.*)$/.exec(pathname) ?? []
  const type = request.headers.get('content-type')
  const text = await request.text()
  const body = type === 'application/json' ? JSON.parse(text) : text
  const key = request.headers.get('authorization')
  const made = { method: request.method, path: path + search, type, key, body }
  asked.set(`${language} ${name}`, made)
  const first = passed.get(name) ?? send(name, made)
  passed.set(name, first)
  const { answer } = await first
  const headers = new Headers(answer.type === null ? {} : { 'content-type': answer.type })
  return new Response(answer.body.length === 0 ? null : answer.body, { status: answer.status, headers })
}

async function send(name: string, request: Passed['request']): Promise<Passed> {
  const ids = await freshIds(name)
  const path = request.path.replaceAll(EXAMPLE_ID, (id, kind) => ids[kind]?.[0] ?? id)
  const text = typeof request.body === 'string' ? request.body : JSON.stringify(request.body)
  const response = await fetch(`${bellhop.url}/v1${path}`, {
    method: request.method,
    headers: {
      authorization: request.key ?? '',
      ...(request.type !== null && { 'content-type': request.type }),
    },
    ...(text !== '' && { body: text.replaceAll(EXAMPLE_ID, (id, kind) => ids[kind]?.[1] ?? id) }),
  })
  const body = await response.bytes()
  return { request, answer: { status: response.status, type: response.headers.get('content-type'), body } }
}

/** Of each kind, the id for the path and the one for the body. */
async function freshIds(operation: string): Promise<Record<string, [string, string]>> {
  const people = ['ana', 'bo'].map((name) => ({ customer: { email: `${name}-${operation}@example.com` } }))
  const [one, other, third, fourth] = [
    await makeTicket(client, people[0]),
    await makeTicket(client, people[1]),
    await makeTicket(client, people[1]),
    await makeTicket(client, people[1]),
  ]
  const messages = `/tickets/${one.id}/messages`
  const message = await post(messages, { text: 'Hello' })
  const waiting = bellhop.deps.newId('msg')
  const sendAt = new Date(Date.now() + 3_600_000).toISOString()
  await client.call('PUT', `${messages}/${waiting}`, { body: { text: 'Later', sendAt } })
  const ofPath = { putMessage: bellhop.deps.newId('msg'), deleteMessage: waiting }[operation] ?? message.id
  const move = await post(`/tickets/${third.id}/merge`, { from: fourth.id })
  const sending = /endpoint|deliver|replay/i.test(operation) ? await sendingIds(operation) : {}
  const suggestion = /suggestion/i.test(operation) ? await suggestionIds(other.id) : {}
  const file = await upload(client)
  return {
    tkt: [one.id, other.id],
    usr: [one.customerId, other.customerId],
    msg: [ofPath, message.id],
    mov: [move.id, ''],
    att: [file.id, file.id],
    agt: [agentId, agentId],
    ...sending,
    ...suggestion,
  }
}

async function sendingIds(operation: string): Promise<Record<string, [string, string]>> {
  const endpoint = (await post('/endpoints', { url: receiver.url, events: ['ticket.created'] })).id
  const delivery = operation.endsWith('Delivery') ? await finishedDelivery(endpoint) : ''
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const replay = await post(`/endpoints/${endpoint}/replay`, { since })
  return { whe: [endpoint, endpoint], job: [replay.id, ''], dlv: [delivery, ''] }
}

/** Of a ticket that no one has answered. */
async function suggestionIds(ticketId: string): Promise<Record<string, [string, string]>> {
  const question = (await readTicket(client, ticketId)).messages[0]?.id ?? ''
  const { id } = await post(`/tickets/${ticketId}/suggestions`, { text: 'Yes', answers: question })
  return { tkt: [ticketId, ticketId], msg: [question, question], sug: [id, ''] }
}

async function finishedDelivery(endpoint: string): Promise<string> {
  await makeTicket(client)
  for (;;) {
    const path = `/deliveries?endpoint=${endpoint}`
    const { json } = await client.call<{ data: { id: string; state: string }[] }>('GET', path)
    const [delivery] = json.data
    if (delivery?.state === 'succeeded') return delivery.id
  }
}

async function post(path: string, body: object): Promise<{ id: string }> {
  const { status, json, text } = await client.call<{ id: string }>('POST', path, { body })
  if (status >= 300) throw new Error(`${path}: ${text}`)
  return json
}

/** Runs a program that is given as text, where the examples are. */
async function run(program: string, command: string[]): Promise<void> {
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', BELLHOP_KEY: client.key },
    stdin: new TextEncoder().encode(program),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const problem = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${problem}`)
}
