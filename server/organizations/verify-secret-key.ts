import { and, asc, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { bots } from '../database/tables/bots.ts'
import { installation } from '../database/tables/cluster.ts'
import { mailboxes, oauthClients } from '../database/tables/mailboxes.ts'
import { endpoints } from '../database/tables/webhooks.ts'
import { widgets } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { StartError } from '../errors.ts'
import { isSetUp } from './directory.ts'

interface Encrypted {
  owner: string
  secret: Uint8Array | null
}

/**
 * Throws `StartError` when the stored secrets were encrypted with another key. Otherwise no delivery could be signed, no
 * mailbox or bot could sign in and no user of a website could be verified, and secrets encrypted now would be lost when the
 * right key is restored. Checks one secret of each kind, and all that sign the users of websites: nothing else would say
 * that one can't be read, until a user is refused.
 */
export async function verifySecretKey(deps: Deps): Promise<void> {
  const found = await Promise.all([
    endpointSecret(deps),
    mailboxSecret(deps),
    clientSecret(deps),
    widgetSecrets(deps),
    botToken(deps),
  ])
  try {
    for (const { owner, secret } of found.flat()) if (secret) deps.encryption.decrypt(secret, owner)
  } catch {
    throw new StartError(
      'The stored secrets were encrypted with another key. Restore secret.key in the data folder, or set BELLHOP_SECRET to its previous value.',
    )
  }
  if (deps.database.engine === 'postgresql') await verifyFingerprint(deps)
}

/**
 * Throws `StartError` when the database was set up by a server with another secret, also while nothing is encrypted yet:
 * several servers with a data folder each would make as many secrets.
 */
async function verifyFingerprint({ database, encryption }: Deps): Promise<void> {
  const secretFingerprint = encryption.sign('node', '')
  const known = await database.write(undefined, async (tx) => {
    const isNew = !(await isSetUp(tx))
    const [row] = await tx
      .insert(installation)
      .values({ id: 'installation', secretFingerprint })
      .onConflictDoUpdate({
        target: installation.id,
        // Until there is an organization, nothing was made with the secret.
        set: { secretFingerprint: isNew ? secretFingerprint : sql`${installation.secretFingerprint}` },
      })
      .returning({ secretFingerprint: installation.secretFingerprint })
    return row?.secretFingerprint
  })
  if (known === secretFingerprint) return
  throw new StartError(
    'This database was set up with another secret. Set BELLHOP_SECRET to the value that the other servers have, or to the content of secret.key in the data folder of the first one.',
  )
}

function endpointSecret({ database: { read } }: Deps): Promise<Encrypted[]> {
  return read
    .select({ owner: endpoints.id, secret: endpoints.secret })
    .from(endpoints)
    .where(isNull(endpoints.deletedAt))
    .orderBy(asc(endpoints.createdAt))
    .limit(1)
}

/** A mailbox has either a password or tokens. */
async function mailboxSecret({ database: { read } }: Deps): Promise<Encrypted[]> {
  const hasSecret = or(isNotNull(mailboxes.imapPassword), isNotNull(mailboxes.tokens))
  const found = await read
    .select({ owner: mailboxes.id, password: mailboxes.imapPassword, tokens: mailboxes.tokens })
    .from(mailboxes)
    .where(and(isNull(mailboxes.deletedAt), hasSecret))
    .orderBy(asc(mailboxes.createdAt))
    .limit(1)
  return found.map(({ owner, password, tokens }) => ({ owner, secret: password ?? tokens }))
}

/** Bound to its organization. */
function clientSecret({ database: { read } }: Deps): Promise<Encrypted[]> {
  return read
    .select({ owner: oauthClients.orgId, secret: oauthClients.clientSecret })
    .from(oauthClients)
    .orderBy(asc(oauthClients.updatedAt))
    .limit(1)
}

async function widgetSecrets({ database: { read } }: Deps): Promise<Encrypted[]> {
  const found = await read
    .select({ owner: widgets.id, secret: widgets.identitySecret, previous: widgets.previousIdentitySecret })
    .from(widgets)
    .where(isNull(widgets.deletedAt))
  return found.flatMap(({ owner, secret, previous }) => [
    { owner, secret },
    { owner, secret: previous },
  ])
}

function botToken({ database: { read } }: Deps): Promise<Encrypted[]> {
  return read
    .select({ owner: bots.id, secret: bots.token })
    .from(bots)
    .where(isNull(bots.deletedAt))
    .orderBy(asc(bots.createdAt))
    .limit(1)
}
