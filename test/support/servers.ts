import { type Bellhop, startBellhop } from './bellhop.ts'
import { writeCaFile } from './certificates.ts'
import type { ManualClock } from './clock.ts'
import { freshPlace } from './engine.ts'

/** Servers that share a database must have one. Nothing listens there: these have no files. */
const NO_FILES = {
  BELLHOP_FILES: 's3://files/acme',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
}

/** Settings of servers that share a new PostgreSQL database. Each has a data folder of its own. */
export async function sharedSettings(): Promise<Record<string, string>> {
  const { DATABASE_URL = '' } = await freshPlace()
  return {
    DATABASE_URL,
    BELLHOP_SECRET: 'the same for every server',
    ...NO_FILES,
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
  }
}

/** Three servers on one PostgreSQL database. They stop at the end of the scope. */
export async function startServers(
  given: { clock?: ManualClock; settings?: Record<string, string> } = {},
): Promise<{ servers: [Bellhop, Bellhop, Bellhop] } & AsyncDisposable> {
  const settings = { ...(await sharedSettings()), ...given.settings }
  const start = () => startBellhop({ ...given, settings })
  const servers: [Bellhop, Bellhop, Bellhop] = [await start(), await start(), await start()]
  return {
    servers,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(({ stop }) => stop()))
    },
  }
}
