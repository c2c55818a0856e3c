import postgresql0000 from '../../drizzle/postgresql/0000_start.sql' with { type: 'text' }
import postgresql0001 from '../../drizzle/postgresql/0001_inbox.sql' with { type: 'text' }
import postgresql0002 from '../../drizzle/postgresql/0002_desk.sql' with { type: 'text' }
import postgresql0003 from '../../drizzle/postgresql/0003_search.sql' with { type: 'text' }
import postgresql0004 from '../../drizzle/postgresql/0004_last_seen.sql' with { type: 'text' }
import postgresql0005 from '../../drizzle/postgresql/0005_references.sql' with { type: 'text' }
import postgresql0006 from '../../drizzle/postgresql/0006_drafts_of_each_kind.sql' with { type: 'text' }
import postgresql0007 from '../../drizzle/postgresql/0007_search_upkeep.sql' with { type: 'text' }
import postgresql0008 from '../../drizzle/postgresql/0008_held_because.sql' with { type: 'text' }
import postgresql0009 from '../../drizzle/postgresql/0009_held_replies.sql' with { type: 'text' }
import postgresql0010 from '../../drizzle/postgresql/0010_ticket_handles.sql' with { type: 'text' }
import postgresql0011 from '../../drizzle/postgresql/0011_endpoint_schedule.sql' with { type: 'text' }
import postgresql0012 from '../../drizzle/postgresql/0012_scheduled_messages.sql' with { type: 'text' }
import postgresql0013 from '../../drizzle/postgresql/0013_drop_waiting_replies.sql' with { type: 'text' }
import sqlite0000 from '../../drizzle/sqlite/0000_start.sql' with { type: 'text' }
import sqlite0001 from '../../drizzle/sqlite/0001_inbox.sql' with { type: 'text' }
import sqlite0002 from '../../drizzle/sqlite/0002_desk.sql' with { type: 'text' }
import sqlite0003 from '../../drizzle/sqlite/0003_search.sql' with { type: 'text' }
import sqlite0004 from '../../drizzle/sqlite/0004_last_seen.sql' with { type: 'text' }
import sqlite0005 from '../../drizzle/sqlite/0005_references.sql' with { type: 'text' }
import sqlite0006 from '../../drizzle/sqlite/0006_drafts_of_each_kind.sql' with { type: 'text' }
import sqlite0007 from '../../drizzle/sqlite/0007_search_upkeep.sql' with { type: 'text' }
import sqlite0008 from '../../drizzle/sqlite/0008_held_because.sql' with { type: 'text' }
import sqlite0009 from '../../drizzle/sqlite/0009_held_replies.sql' with { type: 'text' }
import sqlite0010 from '../../drizzle/sqlite/0010_ticket_handles.sql' with { type: 'text' }
import sqlite0011 from '../../drizzle/sqlite/0011_endpoint_schedule.sql' with { type: 'text' }
import sqlite0012 from '../../drizzle/sqlite/0012_scheduled_messages.sql' with { type: 'text' }
import sqlite0013 from '../../drizzle/sqlite/0013_drop_waiting_replies.sql' with { type: 'text' }

export interface Migration {
  name: string
  sql: string
}

/**
 * In the order they are applied, for ever; the version of a database is how many of them it has.
 * `bun run migration NAME` writes this file.
 */
export const MIGRATIONS = {
  sqlite: [
    { name: 'start', sql: sqlite0000 },
    { name: 'inbox', sql: sqlite0001 },
    { name: 'desk', sql: sqlite0002 },
    { name: 'search', sql: sqlite0003 },
    { name: 'last_seen', sql: sqlite0004 },
    { name: 'references', sql: sqlite0005 },
    { name: 'drafts_of_each_kind', sql: sqlite0006 },
    { name: 'search_upkeep', sql: sqlite0007 },
    { name: 'held_because', sql: sqlite0008 },
    { name: 'held_replies', sql: sqlite0009 },
    { name: 'ticket_handles', sql: sqlite0010 },
    { name: 'endpoint_schedule', sql: sqlite0011 },
    { name: 'scheduled_messages', sql: sqlite0012 },
    { name: 'drop_waiting_replies', sql: sqlite0013 },
  ],
  postgresql: [
    { name: 'start', sql: postgresql0000 },
    { name: 'inbox', sql: postgresql0001 },
    { name: 'desk', sql: postgresql0002 },
    { name: 'search', sql: postgresql0003 },
    { name: 'last_seen', sql: postgresql0004 },
    { name: 'references', sql: postgresql0005 },
    { name: 'drafts_of_each_kind', sql: postgresql0006 },
    { name: 'search_upkeep', sql: postgresql0007 },
    { name: 'held_because', sql: postgresql0008 },
    { name: 'held_replies', sql: postgresql0009 },
    { name: 'ticket_handles', sql: postgresql0010 },
    { name: 'endpoint_schedule', sql: postgresql0011 },
    { name: 'scheduled_messages', sql: postgresql0012 },
    { name: 'drop_waiting_replies', sql: postgresql0013 },
  ],
} satisfies Record<string, Migration[]>
