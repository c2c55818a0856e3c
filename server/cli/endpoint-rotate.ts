import type { Command } from 'commander'
import { cancelStagedSecret, promoteSecret, rotateSecret, stageSecret } from '../webhooks/endpoint-secrets.ts'
import { print } from './output.ts'
import { UsageError } from './usage-error.ts'
import { withOwner } from './with-deps.ts'

interface Options {
  stage?: true
  promote?: true
  cancel?: true
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
    .action(async (id: string, options: Options) => {
      if (Object.keys(options).length > 1)
        throw new UsageError('Give one of --stage, --promote and --cancel.')
      print(await withOwner('endpoint', { named: id }, (deps, orgId) => rotate(options)(deps, orgId, id)))
    })
}

type Rotate = (...given: Parameters<typeof rotateSecret>) => Promise<string>

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
  const make = options.stage ? stageSecret : rotateSecret
  return async (deps, orgId, id) => {
    const { secret } = await make(deps, orgId, id)
    return JSON.stringify({ id, secret })
  }
}
