import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto'

const VALID_DAYS = 30
const DAY_MS = 86_400_000

// The parts of DER (ITU-T X.690) and X.509 (RFC 5280) that a certificate for one address needs.
const SEQUENCE = 0x30
const SET = 0x31
const ECDSA_WITH_SHA256 = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'))
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex')

/** What the failing endpoint responds with. */
export const CRM_ERROR = 'The CRM is down for maintenance.'

/** Receives the demo's webhooks on this machine, so that nothing leaves it. */
interface DemoReceiver {
  /** `https://127.0.0.1:<port>` */
  url: string
  /** Its certificate in PEM, which the sender has to trust. */
  ca: string
  /** Its private key in PEM. */
  key: string
  stop(): Promise<void>
}

/** Accepts every webhook, except those to `/crm`, which always fail. */
export function startDemoReceiver(now: number): DemoReceiver {
  const { cert, key } = certificateForLoopback(now)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    fetch: ({ url }) =>
      new URL(url).pathname === '/crm'
        ? new Response(CRM_ERROR, { status: 503 })
        : Response.json({ received: true }),
  })
  return { url: `https://127.0.0.1:${server.port}`, ca: cert, key, stop: () => server.stop(true) }
}

/** A new self-signed certificate for 127.0.0.1 only, in PEM. `now` is in milliseconds since 1970. */
function certificateForLoopback(now: number): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from('Bellhop demo')))))
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    name,
    der(SEQUENCE, time(now - DAY_MS), time(now + VALID_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      der(
        SEQUENCE,
        extension(BASIC_CONSTRAINTS, der(0x01, Buffer.from([0xff]))),
        extension(ALTERNATIVE_NAME, der(0x87, Buffer.from([127, 0, 0, 1]))),
      ),
    ),
  )
  const signature = sign('sha256', content, privateKey)
  const whole = der(SEQUENCE, content, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature))
  return {
    cert: new X509Certificate(whole).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Tag, length and content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function extension(id: Buffer, value: Buffer): Buffer {
  return der(SEQUENCE, id, der(0x04, der(SEQUENCE, value)))
}

/** `YYMMDDhhmmssZ` */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
