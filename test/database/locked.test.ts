import { Database as Connection } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { StorageError } from '../../server/database/database.ts'
import { addOrganization, databaseFile, openStorage, organizationIds } from './storage.ts'

const LONGEST_TEST_MS = 20_000

describe.if(engine === 'sqlite')('while another program keeps the file locked', () => {
  test(
    'a write is refused after five seconds instead of waiting for ever, and works again afterwards',
    async () => {
      await using storage = await openStorage()
      using other = new Connection(databaseFile(storage.place))
      other.exec('BEGIN IMMEDIATE')
      const refused = storage.database.write((tx) => addOrganization(tx, 'org_a'))
      expect(await refused.catch((reason) => reason)).toBeInstanceOf(StorageError)
      other.exec('ROLLBACK')
      await storage.database.write((tx) => addOrganization(tx, 'org_b'))
      expect(await organizationIds(storage.database)).toEqual(['org_b'])
    },
    LONGEST_TEST_MS,
  )
})
