import { Database } from 'bun:sqlite'
import { createClient, mirror } from '../../../release/clients/typescript/src/bellhop.ts'
import { openMirror } from './mirror-store.ts'

// The mirror of the TypeScript client. It is killed again and again, and goes on from its file.
// Usage: bun mirror.ts FILE, with BELLHOP_URL and BELLHOP_KEY

const [, , file = ''] = process.argv
const { BELLHOP_URL: url = '', BELLHOP_KEY: key = '' } = process.env
/** The server is away now and then. */
const TRIES = 1_000

await mirror(createClient({ url, key, maxTries: TRIES }), openMirror(new Database(file)))
