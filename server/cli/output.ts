/** The reader may close the pipe early, as in `bellhop deliveries list | head`. */
process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  throw error
})

/** Standard output gets the result of a command and nothing else. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Information for the person at the terminal. Goes to standard error, because a script may read the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Prints columns as wide as their longest cell, or `whenEmpty` when there are no rows. */
export function printTable(header: string[], rows: string[][], whenEmpty: string): void {
  if (rows.length === 0) {
    print(whenEmpty)
    return
  }
  const lines = [header, ...rows.map((row) => row.map(escapeControls))]
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  )
  for (const line of lines) {
    const padded = line.map(
      (cell, column) => cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell)),
    )
    print(padded.join('  ').trimEnd())
  }
}

/** Prints names and values, one per line. */
export function printFacts(facts: Record<string, string>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  for (const [name, value] of Object.entries(facts)) print(`${name.padEnd(width)}  ${escapeControls(value)}`)
}

/** `1 attachment`, `2 attachments`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `2026-03-01 09:00:00 UTC`, or a dash. */
export function formatTime(time: string | null): string {
  return time === null ? '-' : `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`
}

/** Escapes control and bidirectional characters, so that text from customers can't affect the terminal. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The records of an organization that say the most, such as `12 tickets, 1 message, 0 files`. */
export function formatRecords(records: Record<string, number>): string {
  return ['ticket', 'message', 'file']
    .map((kind) => `${records[kind] ?? 0} ${kind}${records[kind] === 1 ? '' : 's'}`)
    .join(', ')
}
