import { benchCreate } from './create.ts'
import { benchDeliver } from './deliver.ts'
import { benchInbox } from './inbox.ts'
import { benchList } from './list.ts'
import { benchIdleMailboxes, benchMail } from './mail.ts'
import { benchPage } from './page.ts'
import { benchRead } from './read.ts'
import { isMet, printTable, type Result } from './result.ts'
import { benchStart } from './start.ts'
import { benchTelegram } from './telegram.ts'
import { benchThread } from './thread.ts'
import { benchWidget } from './widget.ts'
import { benchWidgetFlood } from './widget-flood.ts'
import { benchWidgetPage } from './widget-page.ts'

// `bun run bench [part …]`: ratios within one run on one machine, as a table and, on the last line, as JSON.

const PARTS: Record<string, () => Promise<Result[]>> = {
  read: benchRead,
  create: benchCreate,
  list: benchList,
  inbox: benchInbox,
  deliver: benchDeliver,
  mail: benchMail,
  mailboxes: benchIdleMailboxes,
  start: benchStart,
  page: benchPage,
  thread: benchThread,
  widget: benchWidget,
  'widget-flood': benchWidgetFlood,
  'widget-page': benchWidgetPage,
  telegram: benchTelegram,
}

const wanted = process.argv.slice(2)
const results: Result[] = []
for (const [name, bench] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  process.stderr.write(`${name} …\n`)
  results.push(...(await bench()))
}
printTable(results)
console.log(JSON.stringify(results.map((result) => ({ ...result, isMet: isMet(result) }))))
