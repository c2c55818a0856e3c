/** The end of a ticket's id, which people write and search for: "#m4k2p9". */
export function shortId(id: string): string {
  return `#${id.slice(-6)}`
}
