import { AppError, invalid } from '../errors.ts'
import { isStorable } from './json-body.ts'
import { pathOf } from './query.ts'

/**
 * Throws 400 for a path that isn't percent-encoded UTF-8: different ones would be read as the same text. Of its
 * parameters, no database can store or look for some text: 400 for an external id, and 404 for what can't be an id.
 */
export function requireReadablePath({ url }: Request, params: Record<string, string> = {}): void {
  const path = pathOf(url)
  if (!path.includes('%')) return
  if (!isDecodable(path)) {
    throw invalid([{ code: 'invalid_encoding', detail: 'The path must be percent-encoded UTF-8.' }])
  }
  for (const [parameter, value] of Object.entries(params)) {
    if (isStorable(value)) continue
    if (parameter !== 'externalId') throw new AppError(404, 'not_found', 'There is nothing with this id.')
    throw invalid([{ parameter, code: 'invalid_text', detail: 'Must not contain the NUL character.' }])
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
