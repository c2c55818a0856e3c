export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Logs events with ids. Never logs bodies, keys, secrets, or customers' addresses. */
export type Log = Record<LogLevel, (event: string, facts?: Record<string, unknown>) => void>

/** Writes one JSON object per line, or a short readable line on a terminal. */
export function createLog(
  level: LogLevel,
  isTerminal: boolean,
  write: (line: string) => void,
  now: () => number,
): Log {
  const lowest = LOG_LEVELS.indexOf(level)
  const at =
    (own: LogLevel) =>
    (event: string, facts: Record<string, unknown> = {}): void => {
      if (LOG_LEVELS.indexOf(own) < lowest) return
      const time = new Date(now()).toISOString()
      const plain = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, plainFact(fact)]))
      write(
        isTerminal
          ? readable(time, own, event, plain)
          : JSON.stringify({ time, level: own, event, ...plain }),
      )
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Keeps the outermost error, which names the operation, and the innermost cause, which names the reason. */
function plainFact(fact: unknown): unknown {
  if (!(fact instanceof Error)) return fact
  let innermost: Error = fact
  while (innermost.cause instanceof Error) innermost = innermost.cause
  const cause = innermost === fact ? undefined : `${innermost.name}: ${withoutParameters(innermost.message)}`
  const stack = withoutParameters(innermost.stack ?? '')
  return { name: fact.name, message: withoutParameters(fact.message), cause, stack }
}

/** Drizzle appends the parameters of a failed query to its message, such as bodies, addresses, and key hashes. */
function withoutParameters(text: string): string {
  const [kept = ''] = text.split('\nparams:', 1)
  return kept
}

function readable(time: string, level: LogLevel, event: string, facts: Record<string, unknown>): string {
  const rest = Object.entries(facts).map(([name, fact]) => `${name}=${readableFact(fact)}`)
  return [time.slice(11, 23), level.padEnd(5), event, ...rest].join(' ')
}

function readableFact(fact: unknown): string {
  return typeof fact === 'object' && fact !== null ? JSON.stringify(fact) : String(fact)
}
