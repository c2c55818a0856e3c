import { expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { emptyPlace } from '../support/engine.ts'
import { openStorage, seenElsewhere } from './storage.ts'

/** Every column that refers to tickets or customers, without an index that begins with it. SQLite's own words. */
const UNINDEXED = `
  select m.name as referring, f."from" as referred from sqlite_master m, pragma_foreign_key_list(m.name) f
  where m.type = 'table' and f."table" in ('tickets', 'customers') and not exists (
    select 1 from pragma_index_list(m.name) i, pragma_index_info(i.name) c
    where c.seqno = 0 and c.name = f."from" and i.partial = 0)`

test.if(engine === 'sqlite')(
  'deleting a ticket or a customer reads no whole table to see what still refers to it',
  async () => {
    const place = await emptyPlace()
    await using _storage = await openStorage(undefined, place)
    expect(await seenElsewhere(place, UNINDEXED)).toEqual([])
  },
)
