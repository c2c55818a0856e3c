import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/open-deps.ts'

// Opens the place of the environment once its standard input ends, and closes it again, like a short command.
await Bun.stdin.text()
const deps = await openDeps(readConfig(process.env))
await deps.database.close()
