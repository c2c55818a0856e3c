import { BackupError } from '../backup/backup-error.ts'
import { StorageError } from '../database/database.ts'
import { AppError, ConfigError, type Fault, RefusedElsewhere, StartError, UsageError } from '../errors.ts'
import { RemoteError } from './remote/remote-error.ts'

const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2
/** Errors whose message is written for the person at the terminal. */
const READABLE_ERRORS = [AppError, BackupError, ConfigError, RemoteError, StartError, UsageError]

/** Runs a command and returns its exit code. An error is printed to standard error in one sentence. */
export async function run(work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return DONE
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`)
    return isWrongUsage(error) ? WRONG_USAGE : FAILED
  }
}

/** A 400 means that an option has an invalid value, unless another service refused it. */
function isWrongUsage(error: unknown): boolean {
  if (error instanceof UsageError) return true
  return error instanceof AppError && error.status === 400 && !(error instanceof RefusedElsewhere)
}

function messageOf(error: unknown): string {
  if (error instanceof AppError && error.more.errors) return error.more.errors.map(faultMessage).join(' ')
  if (READABLE_ERRORS.some((kind) => error instanceof kind) && error instanceof Error) return error.message
  if (error instanceof StorageError) return `${error.message} ${causeMessage(error)}`
  return causeMessage(error)
}

/** Fields whose option has another name. */
const OPTIONS = new Map([
  ['expiresAt', 'expires'],
  ['folders', 'folder'],
  ['importSince', 'since'],
  ['origins', 'origin'],
  ['password', 'password-file'],
  ['program', 'as'],
  ['rateLimit', 'rate-limit'],
  ['token', 'token-file'],
])

function faultMessage({ pointer, detail }: Fault): string {
  const field = pointer?.replace(/^\/appearance\//, '/').split('/')[1]
  return field ? `--${OPTIONS.get(field) ?? field}: ${detail}` : detail
}

/** What PostgreSQL says when PgBouncer gives another connection to each transaction, and what that says in statement mode. */
const POOLED =
  /^prepared statement .* (?:already exists|does not exist)$|^transaction blocks not allowed in statement pooling mode$/
const SESSION_MODE =
  'If PgBouncer is between, use its session mode: DATABASE_URL must not lead through transaction or statement mode.'

const UNANSWERED = /^ERR_POSTGRES_CONNECTION_(?:SILENT|AWAY)$/
const FULL_POOL = 'If PgBouncer is between, its pool may be full: a server has up to 20 connections.'

/** Uses the innermost cause: the outer messages of a failed query contain its parameters. */
function causeMessage(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  if (!(innermost instanceof Error)) return `Unexpected error: ${String(innermost)}`
  const [message] = innermost.message.split('\n')
  const code = 'code' in innermost ? String(innermost.code) : ''
  // That of a move, whose message is for people.
  if (code === 'SQLITE_CONSTRAINT_TRIGGER') return message ?? ''
  if (code.startsWith('SQLITE_')) return `Can't use the database in BELLHOP_DATA: ${message}.`
  if (code.startsWith('ERR_POSTGRES_')) {
    const isPooled = POOLED.test(String(message))
    const advice = isPooled ? ` ${SESSION_MODE}` : UNANSWERED.test(code) ? ` ${FULL_POOL}` : ''
    return `Can't use the database at DATABASE_URL: ${message?.replace(/\.$/, '')}.${advice}`
  }
  return `Unexpected error: ${message}`
}
