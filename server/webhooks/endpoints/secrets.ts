import { isoTime } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { createSigningSecret } from '../deliveries/signature.ts'
import { changeEndpoint, type NewEndpoint, save } from './endpoints.ts'
import type { Endpoint } from './queries.ts'

/** How long a replaced secret keeps signing `webhook-signature`. */
const OLD_SECRET_MS = 24 * 3_600_000

/**
 * A new secret, shown this once. It signs `webhook-signature` beside the current one, which alone signs
 * `X-Service-Signature` until `promoteSecret`. Throws 409 when one is staged already.
 */
export async function stageSecret(deps: Deps, orgId: string, id: string): Promise<NewEndpoint> {
  const secret = createSigningSecret(deps.randomBytes)
  const endpoint = await changeEndpoint(
    deps,
    orgId,
    { id, action: 'endpoint.secret_staged' },
    async (tx, before) => {
      if (before.nextSecret) {
        throw new AppError(
          409,
          'secret_already_staged',
          'A new secret is staged. Promote or cancel it first.',
        )
      }
      return save(tx, before, {
        nextSecret: deps.encryption.encrypt(secret, id),
        updatedAt: deps.clock.now(),
      })
    },
  )
  return { endpoint, secret }
}

/** The staged secret becomes the current one; the one before keeps signing `webhook-signature` for 24 hours. */
export function promoteSecret(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  return changeEndpoint(deps, orgId, { id, action: 'endpoint.secret_promoted' }, async (tx, before) => {
    if (!before.nextSecret) throw noStagedSecret()
    return save(tx, before, replaced(deps, before, before.nextSecret))
  })
}

/** Forgets the staged secret. */
export function cancelStagedSecret(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  return changeEndpoint(deps, orgId, { id, action: 'endpoint.secret_cancelled' }, async (tx, before) => {
    if (!before.nextSecret) throw noStagedSecret()
    return save(tx, before, { nextSecret: null, updatedAt: deps.clock.now() })
  })
}

/**
 * Staged and promoted in one step, for a receiver that verifies `webhook-signature`; a staged secret is forgotten.
 * Throws 409 while the secret before this one still signs: it would be cut short of its 24 hours, as `force` does.
 */
export async function rotateSecret(
  deps: Deps,
  orgId: string,
  id: string,
  { force = false }: { force?: boolean } = {},
): Promise<NewEndpoint> {
  const secret = createSigningSecret(deps.randomBytes)
  const endpoint = await changeEndpoint(
    deps,
    orgId,
    { id, action: 'endpoint.secret_rotated' },
    async (tx, before) => {
      if (!force) requireNoOldSecret(before, deps.clock.now())
      return save(tx, before, replaced(deps, before, deps.encryption.encrypt(secret, id)))
    },
  )
  return { endpoint, secret }
}

function replaced(deps: Deps, before: Endpoint, secret: Uint8Array): Partial<Endpoint> {
  const now = deps.clock.now()
  return {
    secret,
    nextSecret: null,
    previousSecret: before.secret,
    previousSecretUntil: now + OLD_SECRET_MS,
    updatedAt: now,
  }
}

function requireNoOldSecret({ previousSecret, previousSecretUntil }: Endpoint, now: number): void {
  if (!previousSecret || (previousSecretUntil ?? 0) <= now) return
  throw new AppError(
    409,
    'previous_secret_valid',
    `The secret before this one still signs, until ${isoTime(previousSecretUntil ?? now)}. Rotate again after that, or force it, which ends the older secret at once.`,
  )
}

function noStagedSecret(): AppError {
  return new AppError(409, 'no_staged_secret', 'There is no staged secret. Stage one first.')
}
