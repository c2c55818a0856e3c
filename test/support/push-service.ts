import { createECDH, randomBytes } from 'node:crypto'
import { decrypt } from 'http_ece'
import { importJWK, type JWTPayload, jwtVerify } from 'jose'
import type { SignedInAgent } from './agents.ts'
import { type ReceivedRequest, type Respond, startReceiver } from './receiver.ts'

/** A push as the browser gets it: decrypted by an independent library, its sender verified. */
export interface ReceivedPush {
  payload: {
    web_push: number
    notification: { title: string; body: string; tag: string; navigate: string; app_badge?: string }
    app_badge?: number
    close?: string[]
  }
  headers: Record<string, string>
  /** Of the token in `Authorization`, whose signature is that of its key. */
  claims: JWTPayload
  /** The key that signed it. */
  key: string
  /** Wall clock, milliseconds. */
  receivedAt: number
}

/** A browser with a subscription at the push service. */
export interface PushBrowser {
  endpoint: string
  keys: { p256dh: string; auth: string }
  /** All pushes to it so far, oldest first. */
  received(): Promise<ReceivedPush[]>
}

export interface PushService {
  /** `https://127.0.0.1:<port>` */
  origin: string
  browser(): PushBrowser
  /** Subscribes a new browser of an agent as the page does. */
  subscribe(agent: SignedInAgent): Promise<PushBrowser & { id: string }>
  /** Sets the response to later pushes. */
  respondWith(respond: Respond): void
  /** All requests so far, also those that were refused. */
  requests: ReceivedRequest[]
  stop(): Promise<void>
}

/** A push service on this machine, over HTTPS (RFC 8030). Accepts everything by default. */
export async function startPushService(): Promise<PushService> {
  const receiver = await startReceiver({ respond: () => ({ status: 201 }) })
  const origin = `https://127.0.0.1:${receiver.port}`
  let made = 0

  function browser(): PushBrowser {
    const privateKey = createECDH('prime256v1')
    privateKey.generateKeys()
    const authSecret = randomBytes(16).toString('base64url')
    made += 1
    const path = `/push/${made}`
    return {
      endpoint: origin + path,
      keys: { p256dh: privateKey.getPublicKey('base64url'), auth: authSecret },
      received: () =>
        Promise.all(
          receiver.requests
            .filter((request) => request.path === path)
            .map(async (request) => {
              const plain = decrypt(Buffer.from(request.body), {
                version: 'aes128gcm',
                privateKey,
                authSecret,
              })
              const { headers, receivedAt } = request
              const payload = JSON.parse(plain.toString('utf8'))
              return { payload, headers, receivedAt, ...(await verify(headers.authorization ?? '', origin)) }
            }),
        ),
    }
  }

  return {
    origin,
    browser,
    async subscribe(agent) {
      const one = browser()
      const { endpoint, keys } = one
      // A browser needs the key of its sender first.
      await agent.call('GET', '/console/me/notifications')
      const added = await agent.call<{ id: string }>('POST', '/console/me/browsers', {
        body: { endpoint, keys },
      })
      if (added.status !== 201) throw new Error(added.text)
      return { ...one, id: added.json.id }
    },
    respondWith: receiver.respondWith,
    requests: receiver.requests,
    stop: receiver.stop,
  }
}

/** As a push service does (RFC 8292): the token is for it, has not expired, and its key signed it. */
async function verify(authorization: string, audience: string): Promise<{ claims: JWTPayload; key: string }> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(authorization) ?? []
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const verified = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'), {
    audience,
    algorithms: ['ES256'],
  })
  return { claims: verified.payload, key }
}
