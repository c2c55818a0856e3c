/** The browser's time zone, as a query parameter for searches by day. Empty if the browser doesn't say. */
export function zone(): { zone?: string } {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone ? { zone: timeZone } : {}
}
