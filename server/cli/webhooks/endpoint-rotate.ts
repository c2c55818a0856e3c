import type { Command } from 'commander'
import { isoTimeOrNull } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { UsageError } from '../../errors.ts'
import {
  cancelStagedSecret,
  promoteSecret,
  rotateSecret,
  stageSecret,
} from '../../webhooks/endpoints/secrets.ts'
import { formatTime, note, print } from '../output.ts'
import { withOwner } from '../with-deps.ts'

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
      'replace the signing secret and print {"id","secret"}. X-Service-Signature uses the new secret at once, webhook-signature both for 24 hours. If your receiver checks X-Service-Signature, use --stage, then --promote',
    )
    .option('--stage', 'create a secret that signs webhook-signature together with the current one')
    .option('--promote', 'make the staged secret the current one')
    .option('--cancel', 'delete the staged secret')
    .option('--force', 'rotate although the previous secret is still valid, which ends it now')
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
      return `Promoted the staged secret of ${id}. The previous one signs webhook-signature for 24 more hours.`
    }
  }
  if (options.cancel) {
    return async (deps, orgId, id) => {
      await cancelStagedSecret(deps, orgId, id)
      return `Deleted the staged secret of ${id}.`
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
  'Until you promote the new secret, X-Service-Signature uses the old one, and webhook-signature uses both.'

function rotated(until: number | null): string {
  const end = formatTime(isoTimeOrNull(until))
  return `X-Service-Signature now uses the new secret. The old one signs webhook-signature until ${end}.`
}
