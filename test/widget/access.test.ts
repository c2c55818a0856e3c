import { afterAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { revokeApiKey } from '../../server/api-keys/api-keys.ts'
import { removeWidget } from '../../server/channels/widget/widgets/widget-state.ts'
import { widgets } from '../../server/database/tables/widgets.ts'
import { startBellhop } from '../support/bellhop.ts'
import { ORIGIN, openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop()
const { deps } = bellhop
afterAll(() => bellhop.stop())
const acme = await bellhop.organization('Acme')
const widget = await openWidget(bellhop, acme.orgId)
const from = (origin: string) => ({ headers: { origin } })

describe('a website', () => {
  test('that is allowed can read every answer, and browsers ask only once in a while', async () => {
    const preflight = await widget.call('OPTIONS', '/conversations/x/messages/y', {
      headers: { 'access-control-request-method': 'PUT' },
    })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '7200',
      vary: 'Origin',
    })
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    const file = await page.call<{ id: string }>('POST', '/files?name=a.txt', { raw: 'A file' })
    const answers = [
      await page.call('GET', '/conversations'),
      await page.call('GET', `/files/${file.json.id}`),
      await page.call('GET', '/nothing'),
      await page.call('PUT', `/conversations/${conversation.id}/messages/client_1`, { raw: '{' }),
      await widget.call('GET', '/conversations'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 400, 401])
    for (const { headers, status } of answers) {
      if (status === 404) continue
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(headers.get('vary')).toContain('Origin')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test('that is not allowed is refused in words that its page can read, and the settings name it', async () => {
    const origins = [
      'https://evil.example',
      'http://shop.example',
      'https://shop.example.evil.example',
      'null',
    ]
    for (const origin of origins) {
      for (const [method, path] of [
        ['GET', '/settings'],
        ['POST', '/session'],
        ['GET', '/events'],
      ] as const) {
        const answer = await widget.call(method, path, from(origin))
        expect([answer.status, answer.json]).toMatchObject([403, { code: 'origin_not_allowed' }])
        expect(answer.json.detail).toContain(origin)
        expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
      }
    }
    const stored = await eventually(async () => {
      const [row] = await deps.database.read.select().from(widgets).where(eq(widgets.id, widget.id))
      return row?.refusedAt === null ? undefined : row
    })
    expect(stored.refusedOrigin).toBe('https://evil.example')
  })

  test('is named in the settings once it has shown the widget', async () => {
    const shown = await openWidget(bellhop, acme.orgId)
    await shown.call('GET', '/settings', { headers: { referer: 'https://shop.example/cart' } })
    await eventually(async () => {
      const [row] = await deps.database.read.select().from(widgets).where(eq(widgets.id, shown.id))
      return row?.seenUrl === 'https://shop.example/cart'
    })
  })

  test("of our own shows the preview, and a request without an origin is no website's", async () => {
    expect((await widget.call('GET', '/settings', from(bellhop.url))).status).toBe(200)
    const answer = await fetch(`${bellhop.url}/widget/${widget.key}/settings`)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })
})

describe('a key', () => {
  test('that is unknown, secret, revoked, or of a removed widget opens nothing', async () => {
    const [revoked, removed] = [await openWidget(bellhop, acme.orgId), await openWidget(bellhop, acme.orgId)]
    const page = await removed.visit()
    await revokeApiKey(deps, acme.orgId, revoked.key.slice(0, -34))
    await removeWidget(deps, acme.orgId, removed.id)
    const expected: [string, number, string][] = [
      ['bellhop_pk_unknown', 404, 'unknown_widget'],
      ['x', 404, 'unknown_widget'],
      [acme.key, 400, 'secret_key'],
      [revoked.key, 403, 'widget_disabled'],
      [removed.key, 403, 'widget_disabled'],
    ]
    for (const [key, status, code] of expected) {
      const answer = await fetch(`${bellhop.url}/widget/${key}/settings`, { headers: { origin: ORIGIN } })
      expect([answer.status, await answer.json()]).toMatchObject([status, { code }])
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    }
    expect((await page.call('GET', '/conversations')).json).toMatchObject({ code: 'widget_disabled' })
  })
})

describe('a token', () => {
  test('opens nothing in another widget or organization', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('A secret')
    const globex = await bellhop.organization('Globex')
    const others = [await openWidget(bellhop, acme.orgId), await openWidget(bellhop, globex.orgId)]
    for (const other of others) {
      const stolen = other.page(page.token)
      for (const path of ['/conversations', `/conversations/${conversation.id}`, '/events', '/files/att_x']) {
        const answer = await stolen.call('GET', path)
        expect([path, answer.status, answer.json.code]).toEqual([path, 401, 'invalid_visitor'])
      }
    }
    for (const token of ['', 'bellhop_vt_guessed', page.token.slice(0, -1), acme.key]) {
      expect((await widget.page(token).call('GET', '/conversations')).status).toBe(401)
    }
  })

  test("reaches no other visitor's conversation", async () => {
    const [bo, eve] = [await widget.visit(), await widget.visit()]
    const { conversation, message } = await bo.say('A secret')
    const at = `/conversations/${conversation.id}`
    const tried = [
      await eve.call('GET', at),
      await eve.write('Let me in', { conversation: conversation.id }),
      await eve.call('POST', `${at}/seen`, { body: { messageId: message.id } }),
      await eve.call('POST', `${at}/typing`, { body: { isTyping: true } }),
      await eve.call('POST', `${at}/end`),
    ]
    for (const answer of tried) {
      expect([answer.status, answer.text]).toMatchObject([
        404,
        expect.stringContaining('unknown_conversation'),
      ])
    }
    // The id that the other page made is another conversation here.
    const same = await eve.write('Hello', { conversation: conversation.clientId })
    expect(same.json.conversation.id).not.toBe(conversation.id)
    expect((await bo.messages(conversation.id)).messages).toHaveLength(1)
  })

  test('is no session of an agent, and no key', async () => {
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    for (const path of [`/v1/tickets/${conversation.id}`, '/console/tickets']) {
      const answer = await fetch(bellhop.url + path, { headers: { authorization: `Bearer ${page.token}` } })
      expect(answer.status).toBe(401)
    }
  })
})
