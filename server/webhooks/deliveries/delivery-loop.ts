import type { Transaction } from '../../database/database.ts'
import { endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { recordWorkspaceChange } from '../../events/events.ts'
import type { AttemptLane } from '../../jobs/capacity.ts'
import { type Attempts, runAttempts } from '../../jobs/run-attempts.ts'
import { type Health, responsivenessOf } from '../endpoints/endpoint-health.ts'
import { type DeliveryJob, type ProcessedEndpoint, processEndpoint } from './process-endpoint.ts'
import type { AttemptResult } from './record-result.ts'
import { findDisturbed, findDueEndpoints, findNextDueAt, shiftSchedule } from './schedule.ts'
import type { Sender } from './send.ts'
import { createHeaders, sendDelivery } from './send-delivery.ts'

/**
 * A receiver that hangs holds its sockets until the time limit, so no endpoint may need a socket that another one can
 * hold: each may have its first attempt, and only the attempts beyond that wait for others.
 */
const MAX_ATTEMPTS = 512
/**
 * To endpoints that have another one in progress. Bun does few handshakes per event loop tick, the newest first: after
 * a long stop, many of these would keep the first attempts of others waiting.
 */
const MAX_FURTHER_ATTEMPTS = 64
/** To endpoints that did not respond to their newest attempt. */
const MAX_UNRESPONSIVE_ATTEMPTS = 128
/** An endpoint that is new or did not respond gets one: until it responds, it may cost one socket. */
const MAX_ATTEMPTS_PER_ENDPOINT = 8

/** Delivers what is due. Its stop closes the sender. `onAttempt` is called with the outcome of each attempt. */
export function startDelivering(
  deps: Deps,
  { sender, onAttempt }: { sender: Sender; onAttempt?: (outcome: string) => void },
): Attempts {
  const headersOf = createHeaders(deps)
  return runAttempts<DeliveryJob, AttemptResult>(deps, {
    name: 'deliver',
    tables: [endpoints],
    limits: [
      { size: MAX_ATTEMPTS, counts: () => true },
      { size: MAX_FURTHER_ATTEMPTS, counts: (_, earlier) => earlier > 0 },
      { size: MAX_UNRESPONSIVE_ATTEMPTS, counts: (lane) => lane.isUnresponsive === true },
    ],
    async findDue(read, { now, limit, held, full: [full = [], , unresponsive = []] }) {
      const without = full.join()
      const withoutUnresponsive = [...full, ...unresponsive].join()
      return (await findDueEndpoints(read, { now, limit, held, without, withoutUnresponsive })).map(laneOf)
    },
    async findNextDueAt(read, { now, held }) {
      const [next] = await findNextDueAt(read, { now, held })
      const times = [next?.healthy, next?.unhealthy].flatMap((at) => (typeof at === 'number' ? [at] : []))
      return times.length > 0 ? Math.min(...times) : undefined
    },
    findDisturbed: (read, held) => findDisturbed(deps, read, held),
    async process(tx, tasks, by) {
      const processed: ProcessedEndpoint[] = []
      for (const task of tasks) {
        const each = await processEndpoint(deps, tx, task, by)
        if (each) processed.push(each)
      }
      const switchedOff = processed.filter(({ wasSwitchedOff }) => wasSwitchedOff)
      recordSwitchedOff(deps, tx, switchedOff)
      return {
        claimed: processed.map(({ endpoint, claimed }) => ({
          lane: laneOf(endpoint),
          jobs: claimed.map((delivery) => ({ id: delivery.id, delivery, endpoint })),
        })),
        afterCommit() {
          for (const { endpoint } of switchedOff) {
            deps.log.warn('endpoint_switched_off', { endpoint: endpoint.id, reason: endpoint.offReason })
          }
        },
      }
    },
    async run(job, atOnce) {
      const result = await sendDelivery(deps, sender, headersOf, job, atOnce)
      if (result !== 'unsent') onAttempt?.(result.outcome)
      return result
    },
    hasFailed: ({ outcome }) => outcome !== 'succeeded',
    shift: (tx, jump, held) => shiftSchedule(tx, jump, { now: deps.clock.now(), held }),
    withdraw: sender.withdraw,
    close: sender.close,
    notSaved: 'delivery_results_not_saved',
  })
}

function laneOf(
  endpoint: { id: string; orgId: string } & Pick<Health, 'isHealthy' | 'connectFailures' | 'lastError'>,
): AttemptLane {
  const responsiveness = responsivenessOf(endpoint)
  return {
    id: endpoint.id,
    orgId: endpoint.orgId,
    atOnce: responsiveness === 'responsive' ? MAX_ATTEMPTS_PER_ENDPOINT : 1,
    isUnresponsive: responsiveness === 'unresponsive',
    isQueued: endpoint.isHealthy,
  }
}

/**
 * Locks organizations after endpoints, and units of an organization do it the other way around. There PostgreSQL may end
 * one of them, and `write` runs it again.
 */
function recordSwitchedOff(deps: Deps, tx: Transaction, processed: ProcessedEndpoint[]): void {
  const orgIds = processed.map(({ endpoint }) => endpoint.orgId)
  for (const orgId of [...new Set(orgIds)].sort()) recordWorkspaceChange(deps, tx, orgId)
}
