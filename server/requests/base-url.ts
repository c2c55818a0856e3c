/**
 * The server's URL for links, without a trailing slash: the public URL if set, otherwise the one the browser used.
 */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const origin = request.headers.get('origin')
  const host = request.headers.get('host')
  if (origin !== null && URL.canParse(origin) && new URL(origin).host === host) return origin
  return `http://${host}`
}
