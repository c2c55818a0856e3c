/**
 * The address people reach the server at, for links: the public one, or else what the browser says it is at. Without
 * a slash at its end.
 */
export function baseUrl(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  const origin = request.headers.get('origin')
  const host = request.headers.get('host')
  if (origin !== null && URL.canParse(origin) && new URL(origin).host === host) return origin
  return `http://${host}`
}
