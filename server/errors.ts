/** One error in a request: where it is and what would be valid. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body. */
  pointer?: string
  /** Name of a query parameter or header. */
  parameter?: string
  code: string
  detail: string
}

/**
 * A caller's mistake, or a state that doesn't allow the request. Verbs throw it; its status is the only HTTP they know
 * (section 7 of the specification). `code` is stable, `message` says what to do.
 */
export class AppError extends Error {
  override name = 'AppError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: {
      errors?: Fault[]
      headers?: Record<string, string>
      /** Of the object that is in the way. */
      id?: string
    } = {},
  ) {
    super(message)
  }
}

export function notFound(what: string): AppError {
  return new AppError(404, 'not_found', `There is no ${what} with this id.`)
}

/** Faults that one response reports. */
export const MAX_FAULTS = 20

/** A 400 for one or more invalid fields, reported at once, up to a number. */
export function invalid(found: Fault[]): AppError {
  const errors = found.slice(0, MAX_FAULTS)
  const [first] = errors
  const where = first?.pointer ?? first?.parameter
  const detail =
    errors.length === 1 && first
      ? `${where ? `${where}: ` : ''}${first.detail}`
      : `${found.length > MAX_FAULTS ? `More than ${MAX_FAULTS}` : found.length} fields are invalid.`
  return new AppError(400, 'invalid_request', detail, { errors })
}

/** A 400 for a value that is written as it has to be, and that another service refused. */
export class RefusedElsewhere extends AppError {
  override name = 'RefusedElsewhere'
  constructor(fault: Fault) {
    super(400, 'invalid_request', `${fault.pointer}: ${fault.detail}`, { errors: [fault] })
  }
}

/** Why the program can't start, in one sentence for the person at the terminal. */
export class StartError extends Error {
  override name = 'StartError'
}

/** An invalid setting. The program doesn't start. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** A command was called with wrong arguments. Ends it with exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
