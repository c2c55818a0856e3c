import { ConfigError } from '../config.ts'
import { StorageError } from '../database/database.ts'
import { AppError, type Fault, StartError } from '../errors.ts'
import { UsageError } from './usage-error.ts'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2
/** Their messages are whole sentences for whoever types the command. */
const FOR_PEOPLE = [AppError, ConfigError, StartError, UsageError]

/** Runs a command to its exit code; what went wrong goes to standard error in one plain sentence. */
export async function run(work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return DONE
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    return isWrongUsage(error) ? WRONG_USAGE : FAILED
  }
}

/** A verb answers 400 to a value whose form is wrong, whatever is stored: as if the option had been refused. */
function isWrongUsage(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof AppError && error.status === 400)
}

function sentenceOf(error: unknown): string {
  if (error instanceof AppError && error.more.errors) return error.more.errors.map(faultSentence).join(' ')
  if (FOR_PEOPLE.some((kind) => error instanceof kind) && error instanceof Error) return error.message
  if (error instanceof StorageError) return `${error.message} ${faultOf(error)}`
  return faultOf(error)
}

/** The fields of a verb are the options of its command, but for these. */
const OPTIONS = new Map([
  ['expiresAt', 'expires'],
  ['password', 'password-file'],
  ['rateLimit', 'rate-limit'],
])

function faultSentence({ pointer, detail }: Fault): string {
  const field = pointer?.split('/')[1]
  return field ? `--${OPTIONS.get(field) ?? field}: ${detail}` : detail
}

/** The outer messages of a failed query hold its parameters, which are nobody's business. */
function faultOf(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  if (!(innermost instanceof Error)) return `It failed: ${String(innermost)}`
  const [message] = innermost.message.split('\n')
  const code = 'code' in innermost ? String(innermost.code) : ''
  if (code.startsWith('SQLITE_')) return `The database in BELLHOP_DATA cannot be used: ${message}.`
  if (code.startsWith('ERR_POSTGRES_')) return `The server of DATABASE_URL cannot be used: ${message}.`
  return `It failed: ${message}`
}
