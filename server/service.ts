import { join } from 'node:path'
import type { PasswordCost } from './agents/password.ts'
import { createKeyGuard } from './api-keys/require-api-key.ts'
import { requireBucket } from './attachments/check-files.ts'
import { type BackupRequests, createBackupRequests } from './backup/backup-runs.ts'
import { createVisitorStreams } from './channels/widget/stream/visitor-streams.ts'
import { createVisitorGuard } from './channels/widget/visitors/require-visitor.ts'
import { type Clock, pause, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { lockDataFolder } from './database/lock.ts'
import { forgetUnfinishedMove, watchMove } from './database/move/moved-file.ts'
import { DATABASE_FILE } from './database/open.ts'
import { watchExternalCommits } from './database/watch-external-commits.ts'
import { type WatchedFile, watchFiles } from './database/watch-files.ts'
import type { Deps } from './deps.ts'
import { createEventWaits } from './events/api/waits.ts'
import { createApp } from './http/app.ts'
import { trustResponses } from './http/checked-requests.ts'
import { listen } from './http/listen.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { logRequest, watchRequests } from './http/watch-requests.ts'
import { startPruningKeys } from './idempotency/idempotency.ts'
import { startPruning } from './jobs/pruning.ts'
import { createLive, type Live } from './live/live.ts'
import type { Log } from './log.ts'
import { yieldToEventLoop } from './loop.ts'
import { namingFullDisk } from './machine/data-folder.ts'
import { recordSettings } from './machine/recorded-settings.ts'
import { createNotifications, type Notifications } from './notifications/notifications.ts'
import { startPruningGrants } from './oauth/grants.ts'
import { openDeps, openLog } from './open-deps.ts'
import { followDatabase } from './organizations/log-history.ts'
import { verifySecretKey } from './organizations/verify-secret-key.ts'
import { pruneWindows } from './requests/stored-windows.ts'
import { type Traffic, watchTraffic } from './requests/traffic.ts'
import { compressResponses } from './responses/compress-responses.ts'
import { createLargeResponses } from './responses/large-responses.ts'
import { createFirstRun, type FirstRun } from './sessions/first-run.ts'
import { createAgentGuard } from './sessions/require-agent.ts'
import { startPruningSessions } from './sessions/sessions.ts'

const PRUNE_WINDOWS_EVERY_MS = 600_000

/** Proxies look at `/health/ready` every second or every few. */
const RETIRE_MS = 5_000

/** What can be told about a server as soon as it answers requests. */
export interface Answering {
  url: string
  firstRun: FirstRun
}

export interface Service extends Answering {
  deps: Deps
  /** Reads the files of the certificate again, if it serves HTTPS. */
  reloadCertificate(): void
  /**
   * Call it before `stop()`, so that a proxy in front of several servers uses the others: for five seconds, it goes on
   * answering and says at `/health/ready` that it stops. Returns at once when there are no others.
   */
  retire(): Promise<void>
  /** Finishes running work and closes everything. Takes about ten seconds at most. */
  stop(): Promise<void>
}

/**
 * Starts everything: lock, database, HTTP, loops. Stops in the opposite order, also when a later step fails. Throws
 * `StartError` when the data folder, the database, or the address is in use, or the secret key is wrong.
 */
export async function startService(
  config: Config,
  given: {
    clock?: Clock
    log?: Log
    passwordCost?: PasswordCost
    /** Responses aren't checked against their schemas. */
    trustsResponses?: boolean
    /** Called as soon as requests are answered, before the loops run. */
    onAnswering?: (answering: Answering) => Promise<void>
  } = {},
): Promise<Service> {
  const clock = given.clock ?? systemClock
  await using started = new AsyncDisposableStack()
  const lock = await namingFullDisk(config.dataFolder, () => lockDataFolder(config.dataFolder, clock.now()))
  started.defer(lock.release)
  const log = given.log ?? openLog(config, clock)
  lock.announce({ settings: recordSettings(config) })
  await requireBucket(config, log)
  const deps = await openDeps(config, { ...given, log, isNode: true })
  started.defer(deps.database.close)
  started.defer(deps.cluster.leave)
  if (!config.databaseUrl) forgetUnfinishedMove(config.dataFolder)
  await verifySecretKey(deps)
  const history = await followDatabase(deps)
  started.defer(history.stop)
  const agentGuard = createAgentGuard(deps)
  started.defer(agentGuard.stop)
  const guard = createKeyGuard(deps, { signedIn: agentGuard.callerOf })
  started.defer(guard.stop)
  const live = createLive(deps)
  const notifications = createNotifications(deps, live)
  started.defer(notifications.stop)
  const visitorGuard = createVisitorGuard(deps, live)
  started.defer(visitorGuard.stop)
  const visitorStreams = createVisitorStreams(deps, live)
  const large = createLargeResponses(deps)
  const metrics = createMetrics(deps, guard, { visitors: visitorStreams.counts, large: large.counts })
  started.defer(metrics.stop)

  const files = watchFiles(deps, [
    ...(config.databaseUrl ? [] : [databaseFile(config.dataFolder)]),
    { path: lock.file, whenMissing: 'The lock file of the data folder was deleted. Restart Bellhop.' },
  ])
  started.defer(files.stop)
  const moved = config.databaseUrl ? undefined : watchMove(config.dataFolder, deps)
  if (moved) started.defer(moved.stop)
  const firstRun = createFirstRun(deps)
  const backups = createBackupRequests()
  const widget = { guard: visitorGuard, streams: visitorStreams }
  let isStopping = false
  const events = createEventWaits(deps)
  const app = createApp(deps, {
    keys: guard,
    agents: agentGuard,
    live,
    notifications,
    firstRun,
    large,
    widget,
    events,
    storageFault: () => files.fault() ?? moved?.fault(),
    isStopping: () => isStopping,
    backups,
    onUntrustedProxy: (untrustedProxy) => lock.announce({ untrustedProxy }),
  }).use(metrics.routes)
  if (given.trustsResponses) trustResponses(app)
  compressResponses(app)
  watchRequests(app, clock, metrics.countRequest)
  const traffic = watchTraffic(app, deps)
  started.defer(traffic.stop)
  if (config.logLevel === 'debug') watchRequests(app, clock, logRequest(deps.log))
  // Streams and expensive reads are stopped before the listener, which waits for them to end.
  const running: { stop(): void | Promise<void> }[] = [live, visitorStreams, events, deps.expensiveReads]
  // All at the same time, to stop quickly.
  started.defer(async () => {
    await Promise.all(running.map((one) => one.stop()))
  })
  const listening = listen(app, { ...config, clock, log })
  running.push(listening)
  lock.announce({ url: listening.url })
  const answering = { url: config.publicUrl ?? listening.url, firstRun }
  await given.onAnswering?.(answering)
  for (const start of loops(deps, { live, notifications, metrics, traffic, backups })) {
    // One at a time: the first requests are answered in between.
    await yieldToEventLoop()
    running.push(...(await start()))
  }
  // The compiled program starts in the interpreter: compiling what runs once takes longer than it saves.
  Bun.unsafe.setJITPolicy(1)
  const everything = started.move()
  return {
    ...answering,
    deps,
    reloadCertificate: listening.reloadCertificate,
    async retire() {
      isStopping = true
      if (deps.cluster.counts().nodes < 2) return
      deps.cluster.retire()
      await pause(RETIRE_MS)
    },
    stop() {
      deps.cluster.retire()
      return everything.disposeAsync()
    },
  }
}

type Start = () => Promise<{ stop(): void | Promise<void> }[]>

/** What runs beside the requests. Loaded after the server listens, so that it starts faster. */
function loops(
  deps: Deps,
  {
    live,
    notifications,
    metrics,
    traffic,
    backups,
  }: {
    live: Live
    notifications: Notifications
    metrics: Metrics
    traffic: Traffic
    backups: BackupRequests
  },
): Start[] {
  return [
    async () => {
      const { startDelivering } = await import('./webhooks/deliveries/delivery-loop.ts')
      const { startPushing } = await import('./notifications/push/push-loop.ts')
      const { senderOf } = await import('./webhooks/deliveries/send.ts')
      const sender = senderOf(deps)
      return [
        startDelivering(deps, { sender, onAttempt: metrics.countAttempt }),
        startPushing(deps, { sender, live }),
      ]
    },
    async () => {
      const { startChannels } = await import('./channels/start-channels.ts')
      return [startChannels(deps, { live, onSendAttempt: metrics.countSendAttempt })]
    },
    async () => {
      const { startSendingMessages } = await import('./messages/scheduled-messages-loop.ts')
      return [startSendingMessages(deps)]
    },
    async () => {
      const { startPruningNotifications } = await import('./notifications/prune-notifications.ts')
      const { startNotificationEmails } = await import('./notifications/emails.ts')
      return [startNotificationEmails(deps), startPruningNotifications(deps)]
    },
    async () => {
      const { startTimers } = await import('./tickets/snooze/timers.ts')
      const { wakeTicket } = await import('./tickets/snooze/wake.ts')
      return [startTimers(deps, { wake: wakeTicket })]
    },
    async () => {
      const { startIndexing } = await import('./search/index/index-tickets.ts')
      const isAsked = deps.database.hasExternalCommits !== undefined
      return [startIndexing(deps, traffic), ...(isAsked ? [watchExternalCommits(deps)] : [])]
    },
    async () => {
      const { startReacting } = await import('./reactions/react-to-log.ts')
      const { createWebhookReaction } = await import('./events/api/webhook-reaction.ts')
      return [startReacting(deps, [notifications.reaction, createWebhookReaction(deps)])]
    },
    async () => {
      const { startResending } = await import('./webhooks/deliveries/resend.ts')
      const { replaySlice } = await import('./webhooks/api/replay.ts')
      return [startResending(deps, replaySlice)]
    },
    async () => {
      const { startRetention } = await import('./webhooks/deliveries/retention.ts')
      const windows = { everyMs: PRUNE_WINDOWS_EVERY_MS, slice: () => pruneWindows(deps) }
      return [
        startRetention(deps),
        startPruningKeys(deps),
        startPruningSessions(deps),
        startPruningGrants(deps),
        startPruning(deps, 'prune_windows', windows),
      ]
    },
    async () => {
      const { startPruningVisitors } = await import('./channels/widget/visitors/prune-visitors.ts')
      return [startPruningVisitors(deps)]
    },
    async () => {
      const { startPruningSuggestions } = await import('./suggestions/prune-suggestions.ts')
      return [startPruningSuggestions(deps)]
    },
    async () => {
      const { startSweepingFiles } = await import('./attachments/sweep.ts')
      return [startSweepingFiles(deps)]
    },
    async () => {
      const { startBackups } = await import('./backup/backup-loop.ts')
      return [startBackups(deps, backups)]
    },
  ]
}

function databaseFile(folder: string): WatchedFile {
  return {
    path: join(folder, DATABASE_FILE),
    whenMissing: 'The database file was deleted. Stop Bellhop, and restore the data folder from your backup.',
  }
}
