import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { startProgram } from '../support/program.ts'

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGTERM', 'SIGTERM'] as const)(
  '%s right after the server prints its address stops it cleanly, with all data in the database file',
  async (signal) => {
    const folder = temporaryFolder('data')
    await using server = await startProgram({ BELLHOP_DATA: folder })
    expect(await server.end(signal)).toBe(0)
    const log = statSync(join(folder, 'bellhop.db-wal'), { throwIfNoEntry: false })
    expect(log?.size ?? 0).toBe(0)
  },
)
