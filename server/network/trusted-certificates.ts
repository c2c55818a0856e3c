import { X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'

/**
 * For connections that trust the system's authorities and those of `ca` (PEM). Create it once: loading some 260
 * authorities takes about 30 ms, more than a connection.
 */
export function createTrust(ca: string | undefined): SecureContext {
  // Loaded when first used, so that the server starts faster.
  return process.getBuiltinModule('node:tls').createSecureContext({ ca: trusted(ca) })
}

/** The certificates in a PEM text. Throws when there is none, or one cannot be parsed. */
export function certificatesOf(pem: string): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (!blocks) throw new Error('It contains no PEM certificate.')
  return blocks.map((block) => new X509Certificate(block).toString())
}

function trusted(ca: string | undefined): string[] {
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  return [...getCACertificates('default'), ...getCACertificates('system'), ...(ca ? certificatesOf(ca) : [])]
}
