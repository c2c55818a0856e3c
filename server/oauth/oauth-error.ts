import { AppError } from '../errors.ts'

/** From RFC 6749 (sections 4.1.2.1 and 5.2), RFC 7591 (section 3.2.2) and RFC 8707 (section 2). */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'access_denied'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'temporarily_unavailable'

/** What a program did wrong. The description is for its developer: ASCII without quotation marks and backslashes. */
export class OAuthError extends Error {
  override name = 'OAuthError'
  constructor(
    readonly code: OAuthErrorCode,
    readonly description: string,
  ) {
    super(description)
  }
}

/** `what` is a sentence such as "Too many registrations." */
export function tooMany(what: string, waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1_000)
  return new AppError(429, 'rate_limited', `${what} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
