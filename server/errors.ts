/** One fault of a request: where it stands and what would be right. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body. */
  pointer?: string
  /** Name of a query parameter or header. */
  parameter?: string
  code: string
  detail: string
}

/**
 * The caller's mistake, or a state that refuses the request: thrown by verbs, which know no HTTP beyond the status
 * that section 7 of the specification gives it. `code` is stable; `message` says what to do.
 */
export class AppError extends Error {
  override name = 'AppError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: { errors?: Fault[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
  }
}

export function notFound(what: string): AppError {
  return new AppError(404, 'not_found', `There is no ${what} with this id.`)
}

/** One or more wrong fields, all of them at once. */
export function invalid(errors: Fault[]): AppError {
  const [first] = errors
  const where = first?.pointer ?? first?.parameter
  const detail =
    errors.length === 1 && first
      ? `${where ? `${where}: ` : ''}${first.detail}`
      : `${errors.length} fields are wrong.`
  return new AppError(400, 'invalid_request', detail, { errors })
}
