/** The time zone of this browser, in whose days a search counts; nothing where the browser keeps it to itself. */
export function zone(): { zone?: string } {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return timeZone ? { zone: timeZone } : {}
}
