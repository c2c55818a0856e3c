import { type Bellhop, startBellhop } from './bellhop.ts'
import { writeCaFile } from './certificates.ts'
import { freshPlace } from './engine.ts'

/** Servers that share a database must have one. Nothing listens there: these have no files. */
const NO_FILES = {
  BELLHOP_FILES: 's3://files/acme',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
}

/** Settings of servers that share a database. Each has a folder of its own. */
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

/** Two servers that share a PostgreSQL database. */
export async function startTwo(): Promise<[Bellhop, Bellhop]> {
  const settings = await sharedSettings()
  return Promise.all([startBellhop({ settings }), startBellhop({ settings })])
}
