import postgresql0000 from '../../drizzle/postgresql/0000_start.sql' with { type: 'text' }
import postgresql0001 from '../../drizzle/postgresql/0001_backups.sql' with { type: 'text' }
import postgresql0002 from '../../drizzle/postgresql/0002_mail_people.sql' with { type: 'text' }
import postgresql0003 from '../../drizzle/postgresql/0003_known_bodies.sql' with { type: 'text' }
import postgresql0004 from '../../drizzle/postgresql/0004_last_message.sql' with { type: 'text' }
import postgresql0005 from '../../drizzle/postgresql/0005_visitor_numbers.sql' with { type: 'text' }
import postgresql0006 from '../../drizzle/postgresql/0006_sending.sql' with { type: 'text' }
import postgresql0007 from '../../drizzle/postgresql/0007_sent_by.sql' with { type: 'text' }
import postgresql0008 from '../../drizzle/postgresql/0008_agent_day.sql' with { type: 'text' }
import postgresql0009 from '../../drizzle/postgresql/0009_api.sql' with { type: 'text' }
import postgresql0010 from '../../drizzle/postgresql/0010_messages_by_organization.sql' with { type: 'text' }
import postgresql0011 from '../../drizzle/postgresql/0011_deliveries_by_event.sql' with { type: 'text' }
import postgresql0012 from '../../drizzle/postgresql/0012_cluster.sql' with { type: 'text' }
import postgresql0013 from '../../drizzle/postgresql/0013_limits.sql' with { type: 'text' }
import postgresql0014 from '../../drizzle/postgresql/0014_file_locks.sql' with { type: 'text' }
import postgresql0015 from '../../drizzle/postgresql/0015_database_history.sql' with { type: 'text' }
import postgresql0016 from '../../drizzle/postgresql/0016_programs.sql' with { type: 'text' }
import sqlite0000 from '../../drizzle/sqlite/0000_start.sql' with { type: 'text' }
import sqlite0001 from '../../drizzle/sqlite/0001_backups.sql' with { type: 'text' }
import sqlite0002 from '../../drizzle/sqlite/0002_mail_people.sql' with { type: 'text' }
import sqlite0003 from '../../drizzle/sqlite/0003_known_bodies.sql' with { type: 'text' }
import sqlite0004 from '../../drizzle/sqlite/0004_last_message.sql' with { type: 'text' }
import sqlite0005 from '../../drizzle/sqlite/0005_visitor_numbers.sql' with { type: 'text' }
import sqlite0006 from '../../drizzle/sqlite/0006_sending.sql' with { type: 'text' }
import sqlite0007 from '../../drizzle/sqlite/0007_sent_by.sql' with { type: 'text' }
import sqlite0008 from '../../drizzle/sqlite/0008_agent_day.sql' with { type: 'text' }
import sqlite0009 from '../../drizzle/sqlite/0009_api.sql' with { type: 'text' }
import sqlite0010 from '../../drizzle/sqlite/0010_messages_by_organization.sql' with { type: 'text' }
import sqlite0011 from '../../drizzle/sqlite/0011_deliveries_by_event.sql' with { type: 'text' }
import sqlite0012 from '../../drizzle/sqlite/0012_cluster.sql' with { type: 'text' }
import sqlite0013 from '../../drizzle/sqlite/0013_limits.sql' with { type: 'text' }
import sqlite0014 from '../../drizzle/sqlite/0014_file_locks.sql' with { type: 'text' }
import sqlite0015 from '../../drizzle/sqlite/0015_database_history.sql' with { type: 'text' }
import sqlite0016 from '../../drizzle/sqlite/0016_programs.sql' with { type: 'text' }

export interface Migration {
  name: string
  sql: string
}

/**
 * In the order they are applied, which never changes. A database's version is the number of migrations it has.
 * `bun run migration NAME` writes this file.
 */
export const MIGRATIONS = {
  sqlite: [
    { name: 'start', sql: sqlite0000 },
    { name: 'backups', sql: sqlite0001 },
    { name: 'mail_people', sql: sqlite0002 },
    { name: 'known_bodies', sql: sqlite0003 },
    { name: 'last_message', sql: sqlite0004 },
    { name: 'visitor_numbers', sql: sqlite0005 },
    { name: 'sending', sql: sqlite0006 },
    { name: 'sent_by', sql: sqlite0007 },
    { name: 'agent_day', sql: sqlite0008 },
    { name: 'api', sql: sqlite0009 },
    { name: 'messages_by_organization', sql: sqlite0010 },
    { name: 'deliveries_by_event', sql: sqlite0011 },
    { name: 'cluster', sql: sqlite0012 },
    { name: 'limits', sql: sqlite0013 },
    { name: 'file_locks', sql: sqlite0014 },
    { name: 'database_history', sql: sqlite0015 },
    { name: 'programs', sql: sqlite0016 },
  ],
  postgresql: [
    { name: 'start', sql: postgresql0000 },
    { name: 'backups', sql: postgresql0001 },
    { name: 'mail_people', sql: postgresql0002 },
    { name: 'known_bodies', sql: postgresql0003 },
    { name: 'last_message', sql: postgresql0004 },
    { name: 'visitor_numbers', sql: postgresql0005 },
    { name: 'sending', sql: postgresql0006 },
    { name: 'sent_by', sql: postgresql0007 },
    { name: 'agent_day', sql: postgresql0008 },
    { name: 'api', sql: postgresql0009 },
    { name: 'messages_by_organization', sql: postgresql0010 },
    { name: 'deliveries_by_event', sql: postgresql0011 },
    { name: 'cluster', sql: postgresql0012 },
    { name: 'limits', sql: postgresql0013 },
    { name: 'file_locks', sql: postgresql0014 },
    { name: 'database_history', sql: postgresql0015 },
    { name: 'programs', sql: postgresql0016 },
  ],
} satisfies Record<string, Migration[]>
