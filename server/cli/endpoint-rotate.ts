import type { Command } from 'commander'
import { isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import {
  cancelStagedSecret,
  promoteSecret,
  rotateSecret,
  stageSecret,
} from '../webhooks/endpoints/secrets.ts'
import { note, print, shownTime } from './output.ts'
import { UsageError } from './usage-error.ts'
import { withOwner } from './with-deps.ts'

interface Options {
  stage?: true
  promote?: true
  cancel?: true
  force?: true
}

export function addRotate(endpoint: Command): void {
  endpoint
    .command('rotate <id>')
    .description(
      'replace the signing secret; prints {"id","secret"}. X-Service-Signature is made with the new one at once, webhook-signature with both for 24 hours; for a receiver that checks the first, use --stage and --promote',
    )
    .option('--stage', 'make a secret that signs beside the present one until it is promoted')
    .option('--promote', 'make the staged secret the present one')
    .option('--cancel', 'forget the staged secret')
    .option('--force', 'replace it although the secret before it still signs: that one ends at once')
    .action(async (id: string, options: Options) => {
      if (Object.keys(options).length > 1) {
        throw new UsageError('Give one of --stage, --promote, --cancel and --force.')
      }
      print(await withOwner('endpoint', { named: id }, (deps, orgId) => rotate(options)(deps, orgId, id)))
    })
}

type Rotate = (deps: Deps, orgId: string, id: string) => Promise<string>

function rotate(options: Options): Rotate {
  if (options.promote) {
    return async (deps, orgId, id) => {
      await promoteSecret(deps, orgId, id)
      return `The staged secret of ${id} is the present one. The one before signs webhook-signature for 24 hours more.`
    }
  }
  if (options.cancel) {
    return async (deps, orgId, id) => {
      await cancelStagedSecret(deps, orgId, id)
      return `The staged secret of ${id} is forgotten.`
    }
  }
  return async (deps, orgId, id) => {
    const { endpoint, secret } = options.stage
      ? await stageSecret(deps, orgId, id)
      : await rotateSecret(deps, orgId, id, options)
    note(options.stage ? STAGED : rotated(endpoint.previousSecretUntil))
    return JSON.stringify({ id, secret })
  }
}

const STAGED =
  'X-Service-Signature is made with the old secret until you promote the new one; webhook-signature with both.'

function rotated(until: number | null): string {
  const end = shownTime(isoTimeOrNull(until))
  return `X-Service-Signature is made with the new secret from now on. The old one signs webhook-signature until ${end}.`
}
