/** What a browser gives with its subscription, base64url: its public key on P-256, and a secret of 16 bytes. */
export interface BrowserKeys {
  p256dh: string
  auth: string
}

type Bytes = Uint8Array<ArrayBuffer>

const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const
const PUBLIC_KEY_BYTES = 65
const AUTH_BYTES = 16
const SALT_BYTES = 16
const TAG_BYTES = 16
/** A push service must accept 4,096 bytes (RFC 8030, section 7.2): the header, the text, its last byte and the tag. */
const MAX_PLAIN_BYTES = 4_096 - (SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES) - 1 - TAG_BYTES
/** Ends the last record (RFC 8188, section 2). There is only one. */
const LAST_RECORD = 2

/** Whether keys are those of a subscription: pushes can be encrypted with them. */
export async function areBrowserKeys({ p256dh, auth }: BrowserKeys): Promise<boolean> {
  const key = bytesOf(p256dh)
  if (key.length !== PUBLIC_KEY_BYTES || bytesOf(auth).length !== AUTH_BYTES) return false
  return importKey(key).then(
    () => true,
    () => false,
  )
}

/**
 * The body of a push that only the browser can read (RFC 8291, with `aes128gcm` of RFC 8188). `own` is a new key pair by
 * default. Throws for keys that aren't valid and for more than `MAX_PLAIN_BYTES`.
 */
export async function encryptPush(
  plain: Uint8Array,
  { p256dh, auth }: BrowserKeys,
  { salt, own }: { salt: Uint8Array; own?: CryptoKeyPair },
): Promise<Bytes> {
  if (plain.length > MAX_PLAIN_BYTES) throw new Error(`A push of ${plain.length} bytes is too long.`)
  const theirs = bytesOf(p256dh)
  const { publicKey, privateKey } = own ?? (await crypto.subtle.generateKey(CURVE, true, ['deriveBits']))
  const ours = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))
  const browser = await importKey(theirs)
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'ECDH', public: browser }, privateKey, 256),
  )
  const secret = await derive(shared, {
    salt: bytesOf(auth),
    info: join(textBytes('WebPush: info\0'), theirs, ours),
    length: 32,
  })
  const [key, nonce] = await Promise.all([
    derive(secret, { salt, info: textBytes('Content-Encoding: aes128gcm\0'), length: 16 }),
    derive(secret, { salt, info: textBytes('Content-Encoding: nonce\0'), length: 12 }),
  ])
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
  const record = join(plain, Uint8Array.of(LAST_RECORD))
  const encrypted = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, cipher, record)
  return join(salt, recordSize(), Uint8Array.of(PUBLIC_KEY_BYTES), ours, new Uint8Array(encrypted))
}

/** Rejects for bytes that are no point of the curve. */
function importKey(publicKey: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', publicKey, CURVE, false, [])
}

/** HKDF (RFC 5869) with SHA-256. `length` in bytes. */
async function derive(
  from: Bytes,
  { salt, info, length }: { salt: Uint8Array; info: Bytes; length: number },
): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', from, 'HKDF', false, ['deriveBits'])
  const how = { name: 'HKDF', hash: 'SHA-256', salt: join(salt), info }
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, length * 8))
}

function recordSize(): Bytes {
  const size = new Uint8Array(4)
  new DataView(size.buffer).setUint32(0, 4_096)
  return size
}

function join(...parts: Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(parts))
}

function textBytes(text: string): Bytes {
  return new TextEncoder().encode(text)
}

function bytesOf(base64url: string): Bytes {
  return new Uint8Array(Buffer.from(base64url, 'base64url'))
}
