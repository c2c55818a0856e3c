import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import { resendDelivery, resendFailedSince } from '../../webhooks/deliveries/resend.ts'
import { viewResendJob } from '../../webhooks/deliveries/views.ts'
import { pastTime } from '../option-values.ts'
import { print, printJson } from '../output.ts'
import { withOwner } from '../with-deps.ts'

interface Options {
  endpoint?: string
  since?: number
  json?: true
}

export function addResend(deliveries: Command): void {
  deliveries
    .command('resend [id]')
    .description('resend one delivery, or all failed deliveries of an endpoint since a time')
    .option('--endpoint <id>', 'endpoint whose failed deliveries to resend')
    .option('--since <time>', 'a date like 2026-03-01T09:00:00Z, or a duration like 2h', pastTime)
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, { endpoint, since, json }: Options) => {
      if (id !== undefined && endpoint === undefined && since === undefined) return resendOne(id, json)
      if (id === undefined && endpoint !== undefined && since !== undefined) {
        return resendFailed(endpoint, since, json)
      }
      throw new UsageError('Give the id of a delivery, or --endpoint and --since.')
    })
}

async function resendOne(id: string, json: boolean | undefined): Promise<void> {
  await withOwner('delivery', { named: id }, (deps, orgId) => resendDelivery(deps, orgId, id))
  if (json) printJson({ id })
  else print(`Resending ${id}.`)
}

async function resendFailed(endpointId: string, since: number, json: boolean | undefined): Promise<void> {
  const job = await withOwner('endpoint', { named: endpointId }, (deps, orgId) =>
    resendFailedSince(deps, orgId, { endpointId, since }),
  )
  const { id, since: from } = viewResendJob(job)
  if (json) printJson(viewResendJob(job))
  else print(`Resending what failed since ${from} (job ${id}).`)
}
