import type { AlsoSave } from '../../database/database.ts'
import { isoTime } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { createSigningSecret } from '../deliveries/signature.ts'
import { type Endpoint, endpointAccounts, type NewEndpoint } from './endpoints.ts'

/** How long a replaced secret still signs `webhook-signature`. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000

/**
 * Creates a new secret, shown only once. Until `promoteSecret`, it signs `webhook-signature` together with the current
 * secret, and only the current one signs `X-Service-Signature`. Throws 409 when a secret is already staged.
 */
export async function stageSecret(deps: Deps, orgId: string, id: string): Promise<NewEndpoint> {
  const secret = createSigningSecret(deps.randomBytes)
  const endpoint = await endpointAccounts.change(
    deps,
    orgId,
    { id, action: 'endpoint.secret_staged' },
    async (tx, before) => {
      if (before.nextSecret) {
        throw new AppError(
          409,
          'secret_already_staged',
          'A new secret is already staged. Promote or cancel it first.',
        )
      }
      return endpointAccounts.save(tx, before, {
        nextSecret: deps.encryption.encrypt(secret, id),
        updatedAt: deps.clock.now(),
      })
    },
  )
  return { endpoint, secret }
}

/** Makes the staged secret the current one. The previous one still signs `webhook-signature` for 24 hours. */
export function promoteSecret(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  return endpointAccounts.change(
    deps,
    orgId,
    { id, action: 'endpoint.secret_promoted' },
    async (tx, before) => {
      if (!before.nextSecret) throw noStagedSecret()
      return endpointAccounts.save(tx, before, withNewSecret(deps, before, before.nextSecret))
    },
  )
}

/** Deletes the staged secret. */
export function cancelStagedSecret(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  return endpointAccounts.change(
    deps,
    orgId,
    { id, action: 'endpoint.secret_cancelled' },
    async (tx, before) => {
      if (!before.nextSecret) throw noStagedSecret()
      return endpointAccounts.save(tx, before, { nextSecret: null, updatedAt: deps.clock.now() })
    },
  )
}

/**
 * Replaces the current secret in one step, for a receiver that verifies `webhook-signature`, and deletes a staged one.
 * Throws 409 while the previous secret still signs, unless `force` ends it before its 24 hours are over.
 */
export async function rotateSecret(
  deps: Deps,
  orgId: string,
  id: string,
  { force = false }: { force?: boolean } = {},
  alsoSave?: AlsoSave<NewEndpoint>,
): Promise<NewEndpoint> {
  const secret = createSigningSecret(deps.randomBytes)
  const endpoint = await endpointAccounts.change(
    deps,
    orgId,
    { id, action: 'endpoint.secret_rotated' },
    async (tx, before) => {
      if (!force) requireNoPreviousSecret(before, deps.clock.now())
      return endpointAccounts.save(
        tx,
        before,
        withNewSecret(deps, before, deps.encryption.encrypt(secret, id)),
      )
    },
    (tx, after) => alsoSave?.(tx, { endpoint: after, secret }) ?? Promise.resolve(),
  )
  return { endpoint, secret }
}

function withNewSecret(deps: Deps, before: Endpoint, secret: Uint8Array): Partial<Endpoint> {
  const now = deps.clock.now()
  return {
    secret,
    nextSecret: null,
    previousSecret: before.secret,
    previousSecretUntil: now + PREVIOUS_SECRET_MS,
    updatedAt: now,
  }
}

function requireNoPreviousSecret({ previousSecret, previousSecretUntil }: Endpoint, now: number): void {
  if (!previousSecret || (previousSecretUntil ?? 0) <= now) return
  throw new AppError(
    409,
    'previous_secret_valid',
    `The previous secret is valid until ${isoTime(previousSecretUntil ?? now)}. Rotate again after that, or use force to end it now.`,
  )
}

function noStagedSecret(): AppError {
  return new AppError(409, 'no_staged_secret', 'There is no staged secret. Stage one first.')
}
