import { startEmail } from '../../../server/channels/email/start-email.ts'
import { systemClock } from '../../../server/clock.ts'
import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'

// Receives mail until it is killed, and says a line when a mail was taken in.

for await (const _ of Bun.stdin.stream());
const log = createLog('error', false, (line) => process.stderr.write(line), systemClock.now)
const deps = await openDeps(readConfig(), { log })
deps.pulse.listen(() => process.stdout.write('taken in\n'))
startEmail(deps)
setInterval(() => {}, 60_000)
