import { isDiskFull, isStorageFault, StorageError } from '../database/database.ts'
import { AppError, type Fault } from '../errors.ts'

/** `application/problem+json` (RFC 9457) with a stable `code` and the request id. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
  id?: string
  errors?: Fault[]
}

/** The problem document of a refusal. Without one, the fault is the server's, and its details stay hidden. */
export function problemOf(refusal: AppError | undefined, requestId: string): Problem {
  const { status, code, message, more } =
    refusal ??
    new AppError(
      500,
      'internal_error',
      'Something went wrong on the server. Try again. To find the cause, search the server log for the request id.',
    )
  return {
    type: 'about:blank',
    title: process.getBuiltinModule('node:http').STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    code,
    requestId,
    ...(more.id === undefined ? {} : { id: more.id }),
    ...(more.errors ? { errors: more.errors } : {}),
  }
}

/** A caller's mistake, or storage that is away. Undefined for an unexpected error. */
export function refusalOf(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  if (!isStorageFault(error)) return undefined
  return new AppError(503, 'storage_unavailable', storageMessage(error), { headers: { 'retry-after': '5' } })
}

function storageMessage(error: unknown): string {
  if (isDiskFull(error)) {
    return "The change couldn't be saved, because the server's disk is full. Nothing changed. Try again."
  }
  if (!(error instanceof StorageError)) return "The data can't be read right now. Try again."
  return error.isCertain
    ? "The change couldn't be saved. Nothing changed. Try again."
    : 'The change may not have been saved, because the database connection was lost. Try again with the same Idempotency-Key.'
}
