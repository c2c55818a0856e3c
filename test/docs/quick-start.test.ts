import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { listOrganizations } from '../../server/organizations/directory.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { newBrowserSession } from '../support/browser-session.ts'
import { writeCaFile } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { upload } from '../support/uploads.ts'
import { block, documents, httpMessage, readHttp, shapeOf } from './page.ts'
import { runInShell, testWith } from './runtimes.ts'

let bellhop: Bellhop
let receiver: Receiver

beforeAll(async () => {
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() }
  bellhop = await startBellhop({ settings })
  receiver = await startReceiver()
})
afterAll(async () => {
  await bellhop.stop()
  await receiver.stop()
})

testWith(['bash', 'curl'], 'the first ticket lands in the organization of the link', async () => {
  const ben = newBrowserSession(bellhop)
  const name = { organization: 'Acme', name: 'Ben', email: 'ben@acme.example' }
  const body = { token: bellhop.firstRunToken, ...name, password: 'correct horse battery' }
  expect((await ben.call('POST', '/console/first-run', { body })).status).toBe(201)
  const steps = block('sh', 'curl -i http://127.0.0.1:3000/v1/tickets')
  const answer = await runInShell(bellhop, steps)
  const real = readHttp(answer)
  const shown = httpMessage('201 Created')
  expect(real.start).toBe(shown.start)
  expect([...real.headers.keys()]).toEqual(expect.arrayContaining([...shown.headers.keys()]))
  expect(shapeOf(JSON.parse(real.body))).toEqual(shapeOf(JSON.parse(shown.body)))

  const all = await listOrganizations(bellhop.deps)
  expect(all.map(({ id }) => id)).toEqual([JSON.parse(real.body).orgId])

  const program = steps.split('\n')[0]
  const made = JSON.parse(await runInShell(bellhop, `${program}\n${block('sh', 'endpoint create')}`))
  expect(shapeOf(made)).toEqual(shapeOf(JSON.parse(block('text', '"secret":"whsec_'))))
})

for (const [language, command] of Object.entries({
  sh: ['bash', '-e'],
  ts: [process.execPath],
  python: ['python3'],
})) {
  testWith(['bash', 'curl', 'python3'], `the calls in the API guide work in ${language}`, async () => {
    const { withKey } = await bellhop.organization(`Guide ${language}`)
    const client = await withKey({ scopes: [...KEY_SCOPES] })
    const ticket = { subject: 'Missing invoice', message: 'Hello', customer: { email: 'ana@example.com' } }
    const { json } = await client.call('POST', '/tickets', { body: ticket })
    const file = await upload(client)
    const folder = temporaryFolder('guide')
    writeFileSync(join(folder, 'invoice.pdf'), '%PDF-1.7')
    const guide = documents.get('server/http/docs/guides/api.md') ?? ''
    const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
    const calls = blocks.map(([, call = '']) => call).filter((call) => call.includes('/v1/'))
    expect(calls).toHaveLength(language === 'sh' ? 10 : 5)
    for (const [number, call] of calls.entries()) {
      const program = join(folder, `${number}.${language}`)
      const isAnswer = call.includes('$MESSAGE')
      const here = call.replace(/^curl/, 'curl --fail-with-body')
      writeFileSync(program, here.replaceAll('http://127.0.0.1:3000', bellhop.url))
      const child = Bun.spawn([...command, program], {
        cwd: folder,
        env: {
          PATH: process.env.PATH ?? '',
          KEY: client.key,
          TICKET: String(json.id),
          ...(isAnswer && { MESSAGE: await customerMessage(client, String(json.id)) }),
          ATTACHMENT: file.id,
        },
        stdout: 'ignore',
        stderr: 'pipe',
      })
      const problem = await new Response(child.stderr).text()
      expect([call, await child.exited, problem]).toEqual([call, 0, expect.any(String)])
    }
    const after = await client.call('GET', `/tickets/${json.id}`)
    // The customer's message for the suggestion opens it again.
    const status = language === 'sh' ? 'open' : 'pending'
    expect(after.json).toMatchObject({ status, tags: ['billing', 'vip'] })
    expect(after.text).toContain('It is attached.')
    expect(after.text).toContain(file.id)
  })
}

/** The id of the newest message, which a customer writes now. */
async function customerMessage(client: Client, id: string): Promise<string> {
  const body = { role: 'customer', text: 'Hello?' }
  return String((await client.call('POST', `/tickets/${id}/messages`, { body })).json.id)
}

test('a wrong body is answered as the page shows it', async () => {
  const client = await bellhop.organization('Wrong')
  const body = { subject: '', message: 'Hello', customer: { email: 'ana@example.com' }, nme: 1 }
  const { json } = await client.call('POST', '/tickets', { body })
  expect(json).toEqual({ ...JSON.parse(block('json', 'about:blank')), requestId: json.requestId })
})

test('deliveries have the headers and the fields that the page shows', async () => {
  const client = await bellhop.organization('Receiving')
  const events = ['ticket.created', 'message.sent']
  await createEndpoint(bellhop.deps, client.orgId, { url: receiver.url, events })
  const ticket = { subject: 'Missing invoice', message: 'Hello', customer: { email: 'ana@example.com' } }
  const { json } = await client.call('POST', '/tickets', { body: { ...ticket, tags: ['billing'] } })
  const [created] = [await receiver.next(), await receiver.next()]
  await client.call('POST', `/tickets/${json.id}/messages`, { body: { text: 'It is attached.' } })
  const sent = await receiver.next()

  const shown = httpMessage('POST /bellhop')
  const names = Object.keys(created.headers).filter((name) => !OF_THE_CONNECTION.includes(name))
  expect(names.sort()).toEqual([...shown.headers.keys()].sort())
  expect(shapeOf(jsonOf(created.body))).toEqual(shapeOf(JSON.parse(shown.body)))
  expect(shapeOf(jsonOf(sent.body))).toEqual(shapeOf(JSON.parse(block('json', '"event": "message.sent"'))))
})

const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'accept-encoding']

function jsonOf(body: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(body))
}
