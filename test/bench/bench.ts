import { isMet, printTable, type Result } from './result.ts'

// `bun run bench [part …]`, such as `bun run bench soak --minutes 10`: ratios within one run on one machine, as a table and, on the last line, as JSON.

/** Each is loaded when it is wanted: some build the pages, or need a browser. */
const PARTS: Record<string, () => Promise<() => Promise<Result[]>>> = {
  read: async () => (await import('./read.ts')).benchRead,
  create: async () => (await import('./create.ts')).benchCreate,
  list: async () => (await import('./list.ts')).benchList,
  postgresql: async () => (await import('./postgresql.ts')).benchPostgresql,
  cluster: async () => (await import('./cluster/bench-cluster.ts')).benchCluster,
  deliver: async () => (await import('./deliver.ts')).benchDeliver,
  mail: async () => (await import('./mail.ts')).benchMail,
  backup: async () => (await import('./backup.ts')).benchBackup,
  start: async () => (await import('./start.ts')).benchStart,
  page: async () => (await import('./page.ts')).benchPage,
  thread: async () => (await import('./thread.ts')).benchThread,
  widget: async () => (await import('./widget.ts')).benchWidget,
}

/** Only when they are named, because they take minutes. */
const ON_REQUEST = {
  soak: async () => (await import('./soak.ts')).benchSoak,
}

const wanted = process.argv.slice(2)
const results: Result[] = []
const parts = wanted.length > 0 ? { ...PARTS, ...ON_REQUEST } : PARTS
for (const [name, load] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`${name} …\n`)
  const bench = await load()
  results.push(...(await bench()))
}
printTable(results)
console.log(JSON.stringify(results.map((result) => ({ ...result, isMet: isMet(result) }))))
