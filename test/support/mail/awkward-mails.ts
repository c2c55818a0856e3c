import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AWKWARD_HEADERS } from './awkward-headers.ts'
import type { AwkwardMail } from './awkward-mail.ts'
import { AWKWARD_STRUCTURES } from './awkward-structures.ts'
import { AWKWARD_TEXTS } from './awkward-texts.ts'

/** Debian's package `libpython3.11-testsuite`. */
const PYTHON_MAILS = '/usr/lib/python3.11/test/test_email/data'
const MAX_SMALL_BYTES = 200_000

/** All of ours. `make` takes a moment for the large ones: take `smallAwkwardMails` where the size does not matter. */
export const AWKWARD_MAILS: AwkwardMail[] = [...AWKWARD_TEXTS, ...AWKWARD_HEADERS, ...AWKWARD_STRUCTURES]

/** Those of less than 200 KB. */
export function smallAwkwardMails(): AwkwardMail[] {
  return AWKWARD_MAILS.filter(({ make }) => make().length < MAX_SMALL_BYTES)
}

export function awkwardMail(name: string): AwkwardMail {
  const found = AWKWARD_MAILS.find((one) => one.name === name)
  if (!found) throw new Error(`There is no awkward mail “${name}”.`)
  return found
}

/** The 47 mails of Python's own tests, which Debian packages. Without them none, with a word; an error in CI. */
export function pythonMails(): AwkwardMail[] {
  if (!existsSync(PYTHON_MAILS)) {
    if (process.env.CI) throw new Error('CI should have libpython3.11-testsuite.')
    console.warn('Skipped the mails of libpython3.11-testsuite, which is not installed.')
    return []
  }
  return readdirSync(PYTHON_MAILS)
    .filter((file) => /^msg_\w+\.txt$/.test(file))
    .sort()
    .map((file) => ({ name: `Python's ${file}`, make: () => readFileSync(join(PYTHON_MAILS, file)) }))
}
