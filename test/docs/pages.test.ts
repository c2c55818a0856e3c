import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { announcedUrl } from '../../server/database/lock.ts'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { readSources } from '../support/sources.ts'
import { documents, TOP } from './page.ts'

const PATHS = ['/docs', ...GUIDES.map(({ slug }) => `/docs/${slug}`)]
const FILES = ['/docs/docs.css', '/docs/docs.js']
/** Of the reference. */
const TRY = '/docs/try.js'
const MARKDOWN = [...PATHS.map((path) => `${path}.md`), '/docs/operations/listTickets.md']

let bellhop: Bellhop
beforeAll(async () => {
  bellhop = await startBellhop()
})
afterAll(() => bellhop.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(bellhop.url + path, { headers })
const read = async (path: string) => (await get(path)).text()

describe.each(PATHS)('the page %s', (path) => {
  test('loads nothing but its own style and script', async () => {
    const response = await get(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = response.headers.get('content-security-policy')
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    const page = await response.text()
    expect(page).not.toMatch(/<script>|<style|<iframe|<img|\sstyle=|\son[a-z]+=/)
    const loaded = [...page.matchAll(/(?:<link[^>]*href|src)="([^"]*)"/g)].map(([, file]) => file)
    expect(loaded).toEqual(path === '/docs' ? [...FILES, TRY] : FILES)
  })

  test('has a title, one top heading, and a way past the navigation', async () => {
    const page = await read(path)
    expect(page).toMatch(/<title>[^<]*Bellhop[^<]*<\/title>/)
    expect(page.match(/<h1\b/g)).toHaveLength(1)
    expect(page).toContain('<a class="skip" href="#content">')
    expect(page).toContain(`<a href="${path}" aria-current="page">`)
  })

  test('has every id once, and every link on it leads somewhere', async () => {
    const page = await read(path)
    const ids = idsOf(page)
    expect(ids).toEqual([...new Set(ids)])
    const dead: string[] = []
    for (const [, link = ''] of page.matchAll(/<a\b[^>]*href="([^"]*)"/g)) {
      if (link.startsWith('https://')) continue
      const [to = '', anchor] = link.split('#')
      // The inbox needs built pages; it's no part of the documentation.
      if (to === '/') continue
      const target = to === '' ? page : await textOf(to)
      if (target === undefined || (anchor !== undefined && !idsOf(target).includes(anchor))) dead.push(link)
    }
    expect(dead).toEqual([])
  })
})

test.each([...PATHS, ...FILES, TRY, ...MARKDOWN, '/docs/llms.txt'])(
  '%s is sent again only when it changed',
  async (path) => {
    const etag = (await get(path)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^(W\/)?"[\w-]{43}"$/)
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(path, { 'if-none-match': '"old"' })).status).toBe(200)
  },
)

test('the style and the script load nothing from elsewhere', async () => {
  for (const path of [...FILES, TRY]) expect(await read(path)).not.toMatch(/https?:|@import|import\(/)
})

describe('the examples have the address', () => {
  test('that the reader reaches the server at', async () => {
    for (const path of ['/docs', '/docs/api']) {
      const page = await read(path)
      expect(page).toContain(bellhop.url)
      expect(page).not.toContain('127.0.0.1:3000')
    }
    expect(await (await get('/docs/api', { host: 'help.acme.example' })).text()).toContain(
      'curl http://help.acme.example/v1/tickets',
    )
  })

  test('that is public, when it is set', async () => {
    const origin = 'https://help.acme.example'
    const other = await startBellhop({ settings: { BELLHOP_URL: origin } })
    const at = announcedUrl(other.deps.config.dataFolder)
    const headers = { host: 'help.acme.example' }
    const shown = async (path: string) => (await fetch(`${at}${path}`, { headers })).text()
    expect(await shown('/docs/api')).toContain(`curl ${origin}/v1/tickets`)
    expect(await shown('/docs')).toContain(`export BELLHOP=${origin}/v1`)
    expect(JSON.parse(await shown('/v1/openapi.json')).servers[0].url).toBe(`${origin}/v1`)
    await other.stop()
  })

  test('of no one who sent something odd as the host', async () => {
    for (const host of ['a$(touch x)', 'a;b', '"><b>']) {
      const page = await (await get('/docs/api', { host })).text()
      expect(page).not.toContain(host)
      expect(page).not.toContain(Bun.escapeHTML(host))
    }
  })
})

describe('for language models', () => {
  test('an index names every page and operation with a line about it, at the address of the reader', async () => {
    const response = await get('/docs/llms.txt')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const index = await response.text()
    const lines = [...index.matchAll(/^- \[([^\]]+)\]\((\S+)\): (.+)$/gm)]
    const linked = lines.map(([, , link = '']) => link)
    const { paths, webhooks } = JSON.parse(await read('/v1/openapi.json'))
    const operations = [...Object.values<object>(paths), ...Object.values<object>(webhooks)].flatMap((item) =>
      Object.values(item).map(({ operationId }) => `/docs/operations/${operationId}.md`),
    )
    const pages = [...GUIDES.map(({ slug }) => `/docs/${slug}.md`), '/docs.md', ...operations]
    expect(linked).toEqual(pages.map((page) => bellhop.url + page))
    expect(index).toContain(`- [Limits](${bellhop.url}/docs/limits.md): How many requests you can send`)
    for (const [line, , , summary = ''] of lines) expect([line, summary.length > 15]).toEqual([line, true])
  })

  test('every page is Markdown under the same address, and links to the others as Markdown', async () => {
    const index = await read('/docs/llms.txt')
    const pages = [...index.matchAll(/^- \[.+?\]\((\S+)\)/gm)].map(([, link = '']) => new URL(link).pathname)
    const dead: string[] = []
    for (const path of pages) {
      const response = await get(path)
      expect([path, response.headers.get('content-type')]).toEqual([path, 'text/markdown; charset=utf-8'])
      const markdown = await response.text()
      expect([path, markdown.startsWith('# ')]).toEqual([path, true])
      expect([path, markdown.includes('http://127.0.0.1:3000')]).toEqual([path, false])
      const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
      for (const [, link = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
        const url = new URL(link, bellhop.url + path)
        if (url.origin !== bellhop.url) continue
        const isMarkdown = !url.pathname.startsWith('/docs') || /\.(?:md|yml|json|txt)$/.test(url.pathname)
        const target = isMarkdown ? await textOf(url.pathname) : undefined
        const anchor = decodeURIComponent(url.hash.slice(1))
        if (target === undefined || (anchor !== '' && !anchorsOf(target).includes(anchor))) {
          dead.push(`${path}: ${link}`)
        }
      }
    }
    expect(dead).toEqual([])
  })

  test('an operation has its fields, its scope, and examples in three languages', async () => {
    const page = await read('/docs/operations/createTicket.md')
    expect(page).toStartWith('# Create a ticket\n\n`POST /v1/tickets` · needs a key with `tickets:write`')
    expect(page).toContain('- `customer.email` (email, required')
    for (const block of ['```sh\ncurl -X POST', '```typescript\nconst response', '```python\nimport json'])
      expect(page).toContain(block)
    expect((await get('/docs/operations/constructor.md')).status).toBe(404)
  })

  test('without .md, every operation of the index leads to its place in the reference', async () => {
    const ids = idsOf(await read('/docs'))
    const index = await read('/docs/llms.txt')
    const operations = [...index.matchAll(/\/docs\/operations\/(\w+)\.md/g)].map(([, name = '']) => name)
    expect(operations).toContain('createTicket')
    for (const name of operations) {
      const answer = await fetch(`${bellhop.url}/docs/operations/${name}`, { redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')]).toEqual([302, `/docs#${name}`])
      expect(ids).toContain(name)
    }
    expect((await get('/docs/operations/constructor')).status).toBe(404)
  })
})

test('the links of README.md and of the guides as files lead somewhere', async () => {
  const dead: string[] = []
  for (const [path, text] of documents) {
    // Markdown in code is an example.
    const prose = text.replaceAll(/`[^`\n]*`/g, '')
    for (const [, link = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
      // What begins with a slash is on the server: the pages have it.
      if (/^(?:https:\/\/|\/)/.test(link)) continue
      const [to = '', anchor] = link.split('#')
      const file = to === '' ? path : join(dirname(path), to)
      if (!existsSync(join(TOP, file))) dead.push(`${path}: ${link}`)
      else if (anchor !== undefined && !anchorsOf(documents.get(file) ?? '').includes(anchor)) {
        dead.push(`${path}: ${link}`)
      }
    }
  }
  expect(dead).toEqual([])
})

test('the links of the inbox and the settings lead to pages and sections of the documentation', async () => {
  const dead: string[] = []
  const links: string[] = []
  for (const { path, text } of await readSources()) {
    if (!path.startsWith('web/')) continue
    for (const [, link = ''] of text.matchAll(/(?:to|href)="(\/docs[^"]*)"/g)) {
      const [to = '', anchor] = link.split('#')
      const target = await textOf(to)
      links.push(link)
      if (target === undefined || (anchor !== undefined && !idsOf(target).includes(anchor))) {
        dead.push(`${path}: ${link}`)
      }
    }
  }
  expect(dead).toEqual([])
  expect(links).toContain('/docs/webhooks#verify-signatures')
})

function idsOf(page: string): string[] {
  return [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id)
}

const fetched = new Map<string, Promise<string | undefined>>()

function textOf(path: string): Promise<string | undefined> {
  const known = fetched.get(path) ?? get(path).then((answer) => (answer.ok ? answer.text() : undefined))
  fetched.set(path, known)
  return known
}

/** As GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
