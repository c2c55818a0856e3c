import type { Config } from '../config.ts'

const NAME = 'bellhop_session'
/** How long a browser may keep the cookie, in seconds. The server may end the session earlier. */
const MAX_AGE_S = 90 * 86_400

/** The session's token from the `Cookie` header. */
export function sessionToken(header: string | null): string | undefined {
  if (header === null) return undefined
  for (const part of header.split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name === NAME && value) return value
  }
  return undefined
}

/** `Lax`, so that a link in an email opens signed in. Unsafe methods also require the same origin. */
export function sessionCookie(config: Config, token: string): string {
  return `${NAME}=${token}; Max-Age=${MAX_AGE_S}; ${attributes(config)}`
}

export function endedCookie(config: Config): string {
  return `${NAME}=; Max-Age=0; ${attributes(config)}`
}

function attributes({ publicUrl }: Config): string {
  const isSecure = publicUrl?.startsWith('https:') ?? false
  return `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}
