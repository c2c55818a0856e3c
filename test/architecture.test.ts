import { describe, expect, test } from 'bun:test'
import { EXCEPTIONS, RULES } from './support/architecture-rules.ts'
import { TREE_RULES } from './support/architecture-tree-rules.ts'
import { readSources, sourceOf } from './support/sources.ts'
import { misnamedClasses, readStylesheets } from './support/stylesheets.ts'

const sources = await readSources()

describe('every file keeps the rule:', () => {
  for (const [name, rule] of Object.entries(RULES)) {
    test(name, () => {
      const faults = sources.flatMap((source) => rule(source).map((fault) => `${source.path}: ${fault}`))
      expect(faults, `Rule: ${name}`).toEqual([])
    })
  }
})

describe('all files together keep the rule:', () => {
  for (const [name, rule] of Object.entries(TREE_RULES)) {
    test(name, () => expect(rule(sources), `Rule: ${name}`).toEqual([]))
  }
})

describe('a CSS class', () => {
  test("begins with its component's name", async () => {
    expect(misnamedClasses(await readStylesheets())).toEqual([])
  })

  test('of another name is found, unless another component owns it', () => {
    const components = ['row']
    const own = { path: 'web/ui/button.css', classes: ['button', 'button-icon'], components: ['button'] }
    const row = { path: 'web/list/row.css', classes: ['row-title', 'button', 'is-open', 'rowdy'], components }
    expect(misnamedClasses([own, row])).toEqual(['web/list/row.css: .rowdy'])
  })
})

test('every exception to a rule is still needed', () => {
  for (const { path, isNeeded } of EXCEPTIONS) {
    const source = sources.find((one) => one.path === path)
    expect([path, source !== undefined && isNeeded(source)]).toEqual([path, true])
  }
})

/** Files that break a rule together, and the first words of that rule. */
const TREE_BREACHES: [files: Record<string, string>, rule: string][] = [
  [
    {
      'server/a/one.ts': `import type { B } from './two.ts'\nexport type A = B`,
      'server/a/two.ts': `import type { A } from './one.ts'\nexport type B = A`,
    },
    'no import circle',
  ],
  [{ 'web/ui/a.tsx': `import { api } from '../api/api.ts'` }, 'a folder of the pages'],
  [{ 'web/inbox/a.tsx': `import { b } from '../settings/b.ts'` }, 'a folder of the pages'],
  [{ 'server/a/names.ts': '', 'server/b/names.ts': '' }, 'a file name'],
  [Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`server/a/file${n}.ts`, ''])), 'a folder holds'],
  [
    { 'server/a/one.ts': `import { b } from './two.ts'`, 'server/a/two.ts': 'export const b = 1' },
    'a short file',
  ],
  [{ 'server/a/one.ts': 'export const b = 1' }, 'every export'],
  [
    { 'server/a/one.ts': 'database.write(orgId, (tx) => recordWorkspaceChange(deps, tx, orgId))' },
    'a change of the workspace',
  ],
]

describe('the rules of all files together catch', () => {
  for (const [files, expected] of TREE_BREACHES) {
    test(`${expected}: ${Object.keys(files).slice(0, 2).join(', ')}`, () => {
      const tree = Object.entries(files).map(([path, text]) => sourceOf(path, text))
      const broken = Object.entries(TREE_RULES).filter(([, rule]) => rule(tree).length > 0)
      expect(broken.map(([name]) => name.startsWith(expected))).toContain(true)
    })
  }
})

/** A path, a text, and the first words of the rule it breaks. */
const BREACHES: [path: string, text: string, rule: string][] = [
  ['server/webhooks/a.ts', `import { x } from '../tickets/tickets.ts'`, 'a folder of'],
  ['server/tickets/tickets.ts', `import type {\n  X,\n} from '../channels/send.ts'`, 'a folder of'],
  ['server/tickets/tickets.ts', `import { x } from '../api-keys/api-keys.ts'`, 'a folder of'],
  ['server/novelties/a.ts', '', 'a folder of'],
  ['server/ids.ts', `import { x } from './support/tickets.ts'`, 'a leaf'],
  ['server/http/a.ts', `import { x } from '../service.ts'`, 'a leaf'],
  ['server/http/app.ts', `import { x } from '../../test/support/clock.ts'`, 'the server imports'],
  ['web/api/api.ts', `import { createApp } from '../../server/http/app.ts'`, 'the server imports'],
  ['web/api/api.ts', `import type { Ticket } from '../../server/tickets/queries.ts'`, 'the server imports'],
  ['web/inbox/a.ts', `import { wordsOf } from '../../server/search/index-words.ts'`, 'the server imports'],
  ['web/inbox/a.ts', `import { x } from '../../server/formatting/email-html.ts'`, 'the server imports'],
  ['server/search/index-words.ts', `import { x } from '../database/full-text.ts'`, 'what the page uses'],
  ['server/formatting/inline.ts', `import { x } from '../errors.ts'`, 'what the page uses'],
  ['server/log.ts', 'const level = process.env.LEVEL', 'the environment'],
  ['server/tickets/a.ts', `import { Database } from 'bun:sqlite'`, 'bun:sqlite'],
  ['server/tickets/a.ts', 'read.select().from(organizations).limit(1)', 'lookups over all'],
  ['server/sessions/a.ts', 'read.select().from(apiKeys).where(eq(apiKeys.hash, hash))', 'lookups over all'],
  ['server/tickets/a.ts', 'const now = Date.now', 'time comes'],
  ['server/webhooks/a.ts', 'setTimeout(call, 5)', 'time comes'],
  ['server/tickets/a.ts', 'const at = new Date()', 'time comes'],
  ['server/tickets/text-utils.ts', '', 'names say'],
  ['web/lib/a.tsx', '', 'names say'],
  ['server/tickets/index.ts', '', 'no barrels'],
  ['server/tickets/a.ts', `export * from './b.ts'`, 'no barrels'],
  ['server/tickets/a.ts', `import './b'`, 'relative imports'],
  ['web/a.tsx', `const page = import('./page')`, 'relative imports'],
  ['server/tickets/a.ts', `if (channel === 'telegram') send()`, 'no room but its own'],
  ['web/a.ts', `void queries.invalidateQueries({ queryKey: ['tags'] })`, 'the keys of queries'],
  ['web/a.ts', 'function invalidate(...queryKey: string[]) {}', 'the keys of queries'],
  ['web/a.ts', `showSaved(['organization'], saved)`, 'the keys of queries'],
  ['web/a.tsx', 'const page = <Suspense>{list()}</Suspense>', 'no Suspense'],
  ['test/a.test.ts', 'const x = y as any', 'no any'],
  ['server/a.ts', 'function f(x: any[]) {}', 'no any'],
  ['server/a.ts', `// biome-${'ignore'} lint: because`, 'no any'],
  ['server/a.ts', `const text = \`\${later(process.env.X)}\``, 'the environment'],
  ['server/a.ts', `import { setTimeout as wait } from 'node:timers/promises'`, 'time comes'],
  ['server/tickets/tickets.ts', `import { t } from 'elysia'`, 'verbs and views'],
  ['server/tickets/views.ts', `import { t } from 'elysia'`, 'verbs and views'],
  ['server/tickets/v1.ts', `import { eq } from 'drizzle-orm'`, 'routes, schemas'],
  ['server/tickets/views.ts', `import { statement } from '../database/statement.ts'`, 'routes, schemas'],
]

describe('the rules catch', () => {
  for (const [path, text, expected] of BREACHES) {
    test(`${path}: ${text.replaceAll(/\s+/g, ' ') || '(its place)'}`, () => {
      const source = sourceOf(path, text)
      const broken = Object.entries(RULES).filter(([, rule]) => rule(source).length > 0)
      expect(broken.map(([name]) => name.startsWith(expected))).toContain(true)
    })
  }

  test('nothing in comments, words and types that only look like it', () => {
    const innocent = `
      // Never Date.now, process.env or any of that.
      /** setTimeout is not used: time comes from the clock. */
      import type { Static } from 'elysia'
      const company = 'as any company', anyone: string = new Date(5).toISOString()`
    const source = sourceOf('server/tickets/pagination.ts', innocent)
    expect(Object.entries(RULES).flatMap(([, rule]) => rule(source))).toEqual([])
  })
})
