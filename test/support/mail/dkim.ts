import { generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth'

export interface DkimKey {
  /** PEM, PKCS #8. */
  privateKey: string
  /** The text of the TXT record (RFC 6376, 3.6.1). */
  record: string
}

export function makeDkimKey(): DkimKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { privateKey, record: `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}` }
}

/** Verifies all DKIM signatures of a mail as a receiver does. `records` are TXT records by name, such as `s._domainkey.helpdesk.test`. */
export async function verifyDkim(
  raw: Uint8Array,
  records: Record<string, string>,
): Promise<{ domain: string; result: string }[]> {
  const { results } = await dkimVerify(Buffer.from(raw), {
    resolver: (name) => {
      const record = records[name]
      if (record === undefined) throw Object.assign(new Error(`No record ${name}`), { code: 'ENOTFOUND' })
      return Promise.resolve([[record]])
    },
  })
  return results.map(({ signingDomain, status }) => ({ domain: signingDomain ?? '', result: status.result }))
}
