import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { repeatEvery, systemClock } from '../clock.ts'
import type { TlsFiles } from '../config.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'

/** Programs that renew certificates replace the files, often as links, which file events don't show. */
const LOOK_EVERY_MS = 5_000

export interface Certificate {
  cert: string
  key: string
}

/** Reads both files. Throws `StartError` when they can't serve HTTPS now. `now` is in milliseconds since 1970. */
export function readCertificate({ cert, key }: TlsFiles, now: number): Certificate {
  const read = { cert: textOf('BELLHOP_TLS_CERT', cert), key: textOf('BELLHOP_TLS_KEY', key) }
  const [certificate, privateKey] = [parsed(read.cert, 'BELLHOP_TLS_CERT', cert), parsedKey(read.key, key)]
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError(`The key in ${key} doesn't belong to the certificate in ${cert}.`)
  }
  if (now > Date.parse(certificate.validTo)) {
    throw new StartError(`The certificate in ${cert} expired on ${certificate.validTo}. Renew it.`)
  }
  if (now < Date.parse(certificate.validFrom)) {
    throw new StartError(
      `The certificate in ${cert} is valid from ${certificate.validFrom}. Check the clock of this machine.`,
    )
  }
  return read
}

/**
 * Calls `onRenewed` when the files hold another certificate. Faulty files are logged once, and the previous certificate
 * stays. Uses real time: tests move the clock of the dependencies.
 */
export function watchCertificate(
  files: TlsFiles,
  { now, log, onRenewed }: { now: () => number; log: Log; onRenewed: (certificate: Certificate) => void },
): { look(): void; stop(): void } {
  let seen = stateOf(files)
  const { stop } = repeatEvery(LOOK_EVERY_MS, systemClock, () => {
    if (stateOf(files) !== seen) look()
  })

  function look(): void {
    seen = stateOf(files)
    try {
      onRenewed(readCertificate(files, now()))
      log.info('certificate_renewed')
    } catch (error) {
      log.error('certificate_not_renewed', { error })
    }
  }

  return { look, stop }
}

function stateOf({ cert, key }: TlsFiles): string {
  return [cert, key]
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false })
      return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : 'missing'
    })
    .join()
}

function textOf(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new StartError(`${setting} is "${file}". It must be a file that this user can read.`)
  }
}

function parsed(text: string, setting: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw new StartError(`${setting} is "${file}". It must be a PEM file with the certificate and its chain.`)
  }
}

function parsedKey(text: string, file: string) {
  try {
    return createPrivateKey(text)
  } catch {
    throw new StartError(`BELLHOP_TLS_KEY is "${file}". It must be a PEM file with a key without a password.`)
  }
}
