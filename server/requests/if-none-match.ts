/** RFC 9110, section 13.1.2: whether the header names this ETag. Compares weakly, and `*` matches any ETag. */
export function isNamed(header: string, etag: string): boolean {
  const known = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag)
}
