/**
 * The test files that also run on PostgreSQL: where storage, counters, concurrency, jobs, and search are concerned. What
 * the other files test is the same on any database.
 */
const FILES = [
  'backup/restored-data',
  'channels/new-conversation',
  'channels/receive',
  'channels/send',
  'channels/telegram-send',
  'cluster/limits',
  'console/bulk',
  'console/disable-at-once',
  'console/erasure',
  'console/inbox-counts',
  'console/inbox-query',
  'console/live',
  'console/search',
  'console/search-customers',
  'console/search-metadata',
  'database/background',
  'database/concurrency',
  'database/counters',
  'database/doctor-on-postgresql',
  'database/live-nodes',
  'database/migrations',
  'database/move',
  'database/moved-work',
  'database/nodes',
  'database/search-index',
  'database/unit-of-work',
  'docs/nodes',
  'export/round-trip',
  'mcp/tools',
  'moves/random-merges',
  'notifications/who',
  'oauth/tokens',
  'suggestions/at-once',
  'suggestions/decide',
  'suggestions/programs',
  'v1/bulk',
  'v1/concurrency',
  'v1/customer-messages',
  'v1/event-log',
  'v1/customers',
  'v1/idempotency',
  'v1/import',
  'v1/isolation',
  'v1/list-filters',
  'v1/list-pages',
  'v1/metadata',
  'v1/put-message',
  'v1/update-ticket',
  'webhooks/concurrency',
  'webhooks/delivery-filters',
  'webhooks/new-events',
  'webhooks/resend',
  'webhooks/schedule',
  'widget/events',
]

/** The same of the faults. */
const FAULTS = [
  'cluster-clocks',
  'cluster-database',
  'cluster-nodes',
  'cluster-rules',
  'database-kill',
  'event-mirror',
  'failed-sync',
  'files-in-bucket',
  'imported-tickets-kill',
  'inbox-plans',
  'kill',
  'list-plans',
  'listen-kill',
  'lost-connections',
  'mail-flood',
  'merge-kill',
  'migration-kill',
  'notification-kill',
  'random-merges',
  'server-away',
  'silent-server',
  'telegram-flood',
]

export function postgresqlTests(): string[] {
  return FILES.map((name) => `test/${name}.test.ts`)
}

export function postgresqlFaults(): string[] {
  return FAULTS.map((name) => `test/faults/${name}.test.ts`)
}
