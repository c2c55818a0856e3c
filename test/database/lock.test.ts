import { expect, test } from 'bun:test'
import { lockDataFolder } from '../../server/database/lock.ts'
import { StartError } from '../../server/errors.ts'
import { temporaryFolder } from '../support/folder.ts'

test('the lock of a data folder is held until it is released, even without a reference to it', async () => {
  const folder = temporaryFolder('lock')
  lockDataFolder(folder, 1)
  // The garbage collector closes connections without a reference, between ticks of the event loop.
  for (let round = 0; round < 3; round += 1) {
    Bun.gc(true)
    await new Promise(setImmediate)
  }
  expect(() => lockDataFolder(folder, 2)).toThrow(StartError)

  const other = temporaryFolder('lock')
  lockDataFolder(other, 1).release()
  const again = lockDataFolder(other, 2)
  again.release()
  // A second release does not touch what another server holds by now.
  const next = lockDataFolder(other, 3)
  again.release()
  expect(() => lockDataFolder(other, 4)).toThrow(`process ${process.pid}, since 1970-01-01T00:00:00.003Z`)
  next.release()
})
