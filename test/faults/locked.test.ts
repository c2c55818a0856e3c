import { Database as Connection } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { StorageError } from '../../server/database/database.ts'
import { addOrganization, databaseFile, openStorage, organizationIds } from '../database/storage.ts'

describe.if(engine === 'sqlite')('while another program keeps the file locked', () => {
  test('reads go on, and writes wait their turn without holding up the process', async () => {
    await using storage = await openStorage()
    using other = new Connection(databaseFile(storage.place))
    other.exec('BEGIN IMMEDIATE')
    const writes = ['org_a', 'org_b'].map((id) =>
      storage.database.write(undefined, (tx) => addOrganization(tx, id)),
    )
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    expect(await organizationIds(storage.database)).toEqual([])
    // Only a process that is not held up comes to this line before the writes are refused.
    other.exec('ROLLBACK')
    await Promise.all(writes)
    expect(await organizationIds(storage.database)).toEqual(['org_a', 'org_b'])
  })

  test('a write is refused after five seconds instead of waiting forever, and works again afterwards', async () => {
    await using storage = await openStorage()
    using other = new Connection(databaseFile(storage.place))
    // A whole number: with a fraction, five seconds more and less the same again may be a little under five seconds.
    const startedAt = Math.floor(performance.now())
    using clock = spyOn(performance, 'now').mockReturnValue(startedAt)
    other.exec('BEGIN IMMEDIATE')
    let refusal: unknown
    const refused = storage.database
      .write(undefined, (tx) => addOrganization(tx, 'org_a'))
      .catch((reason) => {
        refusal = reason
      })
    // It looks again every five milliseconds.
    await Bun.sleep(20)
    clock.mockReturnValue(startedAt + 4_999)
    await Bun.sleep(20)
    expect(refusal).toBeUndefined()
    clock.mockReturnValue(startedAt + 5_000)
    await refused
    expect(refusal).toBeInstanceOf(StorageError)
    other.exec('ROLLBACK')
    await storage.database.write(undefined, (tx) => addOrganization(tx, 'org_b'))
    expect(await organizationIds(storage.database)).toEqual(['org_b'])
  })
})
