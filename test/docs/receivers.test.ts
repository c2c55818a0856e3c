import { afterAll, expect, test } from 'bun:test'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { WEBHOOK_EVENTS } from '../../server/database/tables/events.ts'
import { serviceSignature, standardSignature } from '../../server/webhooks/deliveries/signature.ts'
import { startBellhop } from '../support/bellhop.ts'
import { block, httpMessage } from './page.ts'
import { LANGUAGES, makeReceiver, startProgram } from './receivers.ts'
import { testWith } from './runtimes.ts'

// The delivery on the page is a real one; openssl was asked whether its signature is right.
const shown = httpMessage('POST /bellhop')
const { secret } = JSON.parse(block('text', '"secret":"whsec_'))
const body = new TextEncoder().encode(shown.body)
const headers = Object.fromEntries(shown.headers)
const { 'x-service-signature': signature = '', ...unsigned } = headers
const { 'x-service-delivery': deliveryId = '' } = headers

const bellhop = await startBellhop({ settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8' } })
afterAll(() => bellhop.stop())
const samples = await samplesOfEvents()

/** Longer than Go needs where it has never built anything. */
const MAX_BUILD_MS = 180_000
// Begins before the first test does: Go may take its time.
const made = new Map(
  LANGUAGES.filter(({ program }) => Bun.which(program)).map((language) => [language, makeReceiver(language)]),
)

test('the delivery on the page is signed with the secret on the page', () => {
  expect(signature).toBe('sha256=b951a3b4ed2a602d3424a1669244c6aa211135c765981410bfe8391cf3dfaa62')
  expect(serviceSignature(secret, body)).toBe(signature)
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp } = headers
  expect(standardSignature([secret], id, Number(timestamp), body)).toBe(headers['webhook-signature'] ?? '')
})

for (const language of LANGUAGES) {
  testWith(
    [language.program],
    `the receiver in ${language.name} takes a genuine delivery and refuses every other`,
    async () => {
      const file = (await made.get(language)) ?? ''
      await using receiver = await startProgram(language, file, secret)
      if (!receiver) throw new Error('It did not start.')
      expect(await receiver.post(body, headers)).toBe(204)
      expect(await receiver.log()).toContain(deliveryId)

      // Its JSON would look different, were it written again.
      const odd = new TextEncoder().encode(
        ' {"event": "x", "data": {"ticket": {"id": "Gr\\u00fc\u00dfe \u{1F6CE}"}}}\n',
      )
      const signed = { ...unsigned, 'x-service-signature': serviceSignature(secret, odd) }
      expect(await receiver.post(odd, signed)).toBe(204)

      for (const sample of samples) {
        const known = { ...unsigned, 'x-service-delivery': sample.id, 'x-service-event': sample.event }
        const delivery = { ...known, 'x-service-signature': serviceSignature(secret, sample.body) }
        expect(await receiver.post(sample.body, delivery), sample.event).toBe(204)
        expect(await receiver.log()).toMatch(new RegExp(`${sample.id} ${sample.event}.*\n`))
      }
      const news = new TextEncoder().encode('{"event": "agent.hired", "data": {"agent": {"name": "Ada"}}}')
      const signedNews = { ...unsigned, 'x-service-signature': serviceSignature(secret, news) }
      expect(await receiver.post(news, signedNews), 'an event of a later version').toBe(204)

      expect(await receiver.post(odd, headers), 'another body').toBe(401)
      expect(await receiver.post(body.subarray(0, -1), headers), 'a body cut off').toBe(401)
      expect(await receiver.post(body, unsigned), 'no signature').toBe(401)
      for (const wrong of wrongSignatures()) {
        const forged = { ...unsigned, 'x-service-signature': wrong }
        expect(await receiver.post(body, forged), wrong).toBe(401)
      }
      expect(await receiver.post(body, headers), 'the same again').toBe(204)
    },
    MAX_BUILD_MS,
  )

  testWith(
    [language.program],
    `the receiver in ${language.name} takes nothing without a secret`,
    async () => {
      const file = (await made.get(language)) ?? ''
      await using receiver = await startProgram(language, file, '')
      const forged = { ...unsigned, 'x-service-signature': serviceSignature('', body) }
      expect((await receiver?.post(body, forged)) ?? 500).toBe(500)
    },
    MAX_BUILD_MS,
  )
}

/** One delivery of every event that an endpoint can have, as Bellhop sends it to try one. */
async function samplesOfEvents(): Promise<{ event: string; id: string; body: Uint8Array<ArrayBuffer> }[]> {
  const client = await (await bellhop.organization()).withKey({ scopes: [...KEY_SCOPES] })
  const endpoint = { url: 'https://127.0.0.1:9/', events: [...WEBHOOK_EVENTS] }
  const { json } = await client.call<{ id: string }>('POST', '/endpoints', { body: endpoint })
  return Promise.all(
    WEBHOOK_EVENTS.map(async (event) => {
      const path = `/endpoints/${json.id}/test`
      const sent = await client.call<{ deliveryId: string }>('POST', path, { body: { event } })
      const id = sent.json.deliveryId
      const shown = await client.call<{ body: string }>('GET', `/deliveries/${id}`)
      return { event, id, body: new TextEncoder().encode(shown.json.body) }
    }),
  )
}

function wrongSignatures(): string[] {
  return [
    signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    signature.slice('sha256='.length),
    signature.slice(0, -2),
    `${signature}00`,
    serviceSignature('whsec_another', body),
    'sha256=\u00fc',
  ]
}
