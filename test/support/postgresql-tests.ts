import { Glob } from 'bun'

/** Test files here can depend on the database. All others run on SQLite only. */
const FOLDERS = ['console', 'database', 'v1', 'webhooks']

/** Of the other folders, those that test units and locks. */
const FILES = [
  'receive',
  'receive-mail',
  'send',
  'send-again',
  'send-kill',
  'new-conversation',
  'mail-flood',
  'telegram-receive',
  'telegram-flood',
  'telegram-receive-kill',
  'telegram-bots',
  'telegram-send',
  'telegram-send-faults',
  'telegram-change-sent',
  'telegram-send-kill',
]

/** The same of the folder for the website widget. */
const WIDGET_FILES = ['sessions', 'messages', 'events', 'erasure', 'ticket-visitor', 'visitor-kill']

/** The same of exports. */
const EXPORT_FILES = ['round-trip', 'import-kill']

/**
 * Files in these folders that run on SQLite only. PostgreSQL is for SQL, storage, locks, and crash recovery, and these
 * files never get that far, or test it the same way on any database.
 */
const SQLITE_ONLY: Record<string, string[]> = {
  'Requests that are refused before the database is asked': [
    'v1/bad-addresses',
    'v1/bad-json',
    'v1/bad-values',
    'v1/bodies',
    'v1/errors',
    'v1/headers',
    'v1/odd-requests',
    'v1/rate-limit',
    'v1/request-ids',
    'v1/routes',
    'console/invisible-text',
  ],
  'Files on the disk of the server, and how they are sent': [
    'v1/attachments-upload',
    'v1/attachments-download',
    'v1/attachments-disk',
    'console/attachments',
  ],
  'The API description': ['v1/openapi'],
  'Reads and writes of single rows by id, with the queries that the tests of other routes run here': [
    'console/endpoints',
    'console/keys',
    'console/notes',
    'console/organization',
    'console/own-sessions',
    'console/saved-replies',
    'console/widgets',
    'v1/keys',
    'webhooks/secrets',
  ],
  'What is made of the rows after they are read': [
    'console/long-thread',
    'console/message-contents',
    'v1/sent-events',
  ],
  'Conversations with mail servers and sign-in providers': [
    'console/mailbox-connection',
    'console/mailbox-oauth',
  ],
  'Crash recovery in the units of work that send-kill, webhooks/kill and database/kill interrupt here': [
    'console/attachments-kill',
    'console/replies-kill',
  ],
  'Who may call a route. v1/isolation covers what queries return to another organization': [
    'console/admins-only',
    'console/other-organization',
    'console/session-on-v1',
  ],
  'Sign-in forms, cookies, and limits that are kept in memory': ['console/attempts', 'console/sign-in'],
  'Sockets, certificates, and signatures of webhook requests': [
    'webhooks/address',
    'webhooks/endpoint-url',
    'console/secret-key',
    'webhooks/send',
    'webhooks/send-address',
    'webhooks/send-certificate',
    'webhooks/send-nonsense',
    'webhooks/send-slow',
    'webhooks/send-status',
    'webhooks/signature',
    'console/widget-identity',
  ],
  'Arithmetic on times': ['webhooks/clock-jump', 'webhooks/retry-schedule', 'webhooks/schedule'],
  'How often the search index reads a thread': ['console/search-lag'],
  'How the delivery loop shares its sockets': ['webhooks/fairness'],
  'Commands that change settings beside the server, as console/live-restart does': [
    'console/settings-events',
  ],
  'The event loop of the server, which runs the queries of SQLite only': ['console/search-blocking'],
  'Sharing and caching of counts in memory': ['console/view-counts'],
  'Plans, locks, and full disks of SQLite': [
    'database/cut-off',
    'database/disk',
    'database/inbox-plans',
    'database/list-plans',
    'database/lock',
    'database/locked',
    'database/rebuild',
    'webhooks/full-disk',
    'webhooks/plans',
  ],
}

/** The same of backups. */
const BACKUP_FILES = ['restored-data']

/** The test files that also run on PostgreSQL. A new file in the folders above runs there until it is listed. */
export function postgresqlTests(): string[] {
  const files = FOLDERS.flatMap((folder) => [...new Glob(`test/${folder}/*.test.ts`).scanSync()])
  const skipped = Object.values(SQLITE_ONLY).flatMap((names) => names.map((name) => `test/${name}.test.ts`))
  const missing = skipped.filter((file) => !files.includes(file))
  if (missing.length > 0) throw new Error(`SQLITE_ONLY has files that do not exist: ${missing.join(', ')}`)
  const further = [
    ...FILES.map((name) => `test/channels/${name}.test.ts`),
    ...WIDGET_FILES.map((name) => `test/widget/${name}.test.ts`),
    ...EXPORT_FILES.map((name) => `test/export/${name}.test.ts`),
    ...BACKUP_FILES.map((name) => `test/backup/${name}.test.ts`),
  ]
  return [...files.filter((file) => !skipped.includes(file)), ...further].sort()
}
