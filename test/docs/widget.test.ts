import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { verifyIdentity } from '../../server/channels/widget/identity.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { block, documents } from './page.ts'
import { testWith } from './runtimes.ts'

/** Longer than Go needs where it has never built anything. */
const MAX_BUILD_MS = 180_000

let bellhop: Bellhop
let ana: SignedInAgent
let id: string
let identitySecret: string

beforeAll(async () => {
  bellhop = await startBellhop()
  const { orgId } = await bellhop.organization('Acme')
  ana = await signInAgent(bellhop, orgId, { role: 'admin' })
  const body = { name: 'Shop', origins: ['https://shop.example'] }
  const made = await ana.call<{ widget: { id: string }; identitySecret: string }>(
    'POST',
    '/console/widgets',
    { body },
  )
  id = made.json.widget.id
  identitySecret = made.json.identitySecret
})
afterAll(() => bellhop.stop())

interface Example {
  name: string
  block: string
  program: string
  /** Prints the token of a user. */
  print: (source: string) => Record<string, string>
  command: (folder: string) => string[]
}

const EXAMPLES: Example[] = [
  {
    name: 'Node',
    block: 'js',
    program: 'node',
    print: (source) => ({
      'token.mjs': `${source}\nconsole.log(chatToken({ id: 42, email: 'zoe@example.com', name: 'Zoë' }))`,
    }),
    command: (folder) => ['node', join(folder, 'token.mjs')],
  },
  {
    name: 'Python',
    block: 'python',
    program: 'python3',
    print: (source) => ({ 'chat.py': `${source}\nprint(chat_token(42, "zoe@example.com", "Zoë"))` }),
    command: (folder) => ['python3', join(folder, 'chat.py')],
  },
  {
    name: 'PHP',
    block: 'php',
    program: 'php',
    print: (source) => ({ 'token.php': `${source}\necho chat_token(42, 'zoe@example.com', 'Zoë');` }),
    command: (folder) => ['php', join(folder, 'token.php')],
  },
  {
    name: 'Go',
    block: 'go',
    program: 'go',
    print: (source) => ({
      'go.mod': 'module example.com/shop\n\ngo 1.18\n',
      'chat/chat.go': source,
      'main.go': `package main

import (
	"fmt"

	"example.com/shop/chat"
)

func main() {
	token, err := chat.Token("42", "zoe@example.com", "Zoë")
	if err != nil {
		panic(err)
	}
	fmt.Println(token)
}
`,
    }),
    // Before Go 1.20 there is no -C.
    command: () => ['go', 'run', '.'],
  },
]

for (const { name, block: language, program, print, command } of EXAMPLES) {
  testWith(
    [program],
    `a token signed as in the example for ${name} identifies the user`,
    async () => {
      const folder = temporaryFolder('token')
      mkdirSync(join(folder, 'chat'), { recursive: true })
      for (const [file, source] of Object.entries(print(block(language, 'IDENTITY_SECRET')))) {
        writeFileSync(join(folder, file), source)
      }
      const env = { ...process.env, CGO_ENABLED: '0', IDENTITY_SECRET: identitySecret }
      const child = Bun.spawn(command(folder), { cwd: folder, env, stdout: 'pipe', stderr: 'inherit' })
      const jwt = await new Response(child.stdout).text()
      const { json } = await ana.call('POST', `/console/widgets/${id}/check-identity`, { body: { jwt } })
      expect(json).toEqual({
        isValid: true,
        detail: 'Valid.',
        user: { id: '42', name: 'Zoë', email: 'zoe@example.com' },
      })
    },
    MAX_BUILD_MS,
  )
}

test('the user hash of the guide is the one of its user and secret', async () => {
  const guide = documents.get('server/http/docs/guides/widget.md') ?? ''
  const secret = /`(bellhop_ws_[\w-]+)`, this is the hash of the user id `42`/.exec(guide)?.[1] ?? ''
  const { encryption } = bellhop.deps
  const widget = {
    id,
    identitySecret: encryption.encrypt(secret, id),
    previousIdentitySecret: null,
    previousIdentitySecretUntil: null,
  }
  const userHash = /userHash: '([0-9a-f]+)'/.exec(guide)?.[1] ?? ''
  expect(await verifyIdentity(bellhop.deps, widget, { userId: '42', userHash })).toMatchObject({
    isValid: true,
  })
})

test('a page can call the widget before it has loaded', () => {
  const sources = [block('html', "'identify', { jwt"), block('html', "'unread'")]
  const page: { window?: object; document: object; Bellhop?: { q?: ArrayLike<unknown>[] } } = {
    document: { querySelector: () => null },
  }
  page.window = page
  const context = createContext(page)
  for (const source of sources) runInContext(source.replaceAll(/<\/?script>/g, ''), context)
  const calls = Array.from(page.Bellhop?.q ?? [], (call) => Array.from(call).slice(0, 2))
  expect(calls).toEqual([
    ['identify', { jwt: expect.any(String) }],
    ['on', 'unread'],
  ])
})
