import { describe, test } from 'bun:test'
import { existsSync } from 'node:fs'

/** What the tests with mail servers need, all from Debian. */
const PROGRAMS: Record<string, string> = {
  Dovecot: '/usr/sbin/dovecot',
  'the IMAP part of Dovecot': '/usr/lib/dovecot/imap',
  Postfix: '/usr/lib/postfix/sbin/master',
}

/**
 * Tests that need Dovecot and Postfix, which run as root. Without them the tests are skipped with a word, and fail in
 * CI, which has all of it.
 */
export function describeWithMail(name: string, body: () => void): void {
  const missing = Object.keys(PROGRAMS).filter((program) => !existsSync(PROGRAMS[program] ?? ''))
  if (process.getuid?.() !== 0) missing.push('root')
  if (missing.length === 0) {
    describe(name, body)
  } else if (process.env.CI) {
    test(name, () => {
      throw new Error(`CI should have ${missing.join(', ')}.`)
    })
  } else {
    console.warn(`Skipped, for there is no ${missing.join(', no ')} here: ${name}`)
    describe.skip(name, body)
  }
}
