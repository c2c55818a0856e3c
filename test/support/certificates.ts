import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

const DAY_MS = 86_400_000
/** Names and addresses of a good certificate; `*.hooks.test` are for tests that resolve names themselves. */
const NAMES = ['localhost', 'hooks.test', '*.hooks.test'].map((value) => ({ type: 2, value }) as const)
const ADDRESSES = ['127.0.0.1', '::1'].map((ip) => ({ type: 7, ip }) as const)

export interface Certificate {
  /** PEM. */
  cert: string
  key: string
}

export interface Certificates {
  /** The private authority's certificate, PEM: what a client must trust. */
  ca: string
  valid: Certificate
  expired: Certificate
  notYetValid: Certificate
  wrongName: Certificate
  selfSigned: Certificate
  /** Good in itself, issued by an authority that nobody trusts. */
  otherAuthority: Certificate
}

let made: Promise<Certificates> | undefined

/** A private authority and its certificates, made once in a process. */
export function makeCertificates(): Promise<Certificates> {
  made ??= make()
  return made
}

/** Writes the authority's certificate to a file, for `BELLHOP_WEBHOOK_CA`; answers the file's name. */
export async function writeCaFile(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'bellhop-ca-')), 'ca.pem')
  writeFileSync(file, (await makeCertificates()).ca)
  return file
}

async function make(): Promise<Certificates> {
  const [authority, stranger] = [await makeAuthority(), await makeAuthority()]
  const good = [...NAMES, ...ADDRESSES]
  return {
    ca: authority.cert,
    valid: await issue(authority, good, -DAY_MS, 30 * DAY_MS),
    expired: await issue(authority, good, -20 * DAY_MS, -10 * DAY_MS),
    notYetValid: await issue(authority, good, 10 * DAY_MS, 20 * DAY_MS),
    wrongName: await issue(authority, [{ type: 2, value: 'other.example' }], -DAY_MS, 30 * DAY_MS),
    selfSigned: await issue(undefined, good, -DAY_MS, 30 * DAY_MS),
    otherAuthority: await issue(stranger, good, -DAY_MS, 30 * DAY_MS),
  }
}

async function makeAuthority(): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'Bellhop test authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 365 * DAY_MS),
    notAfterDate: new Date(Date.now() + 365 * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { cert: made.cert, key: made.private }
}

async function issue(
  issuer: Certificate | undefined,
  altNames: ((typeof NAMES)[number] | (typeof ADDRESSES)[number] | { type: 2; value: string })[],
  from: number,
  until: number,
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: 'Bellhop test receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + from),
    notAfterDate: new Date(Date.now() + until),
    ...(issuer && { ca: issuer }),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  return { cert: made.cert, key: made.private }
}
