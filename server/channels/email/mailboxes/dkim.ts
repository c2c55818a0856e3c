import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Deps } from '../../../deps.ts'
import { AppError, type Fault, invalid } from '../../../errors.ts'
import { type Mailbox, signsFor } from './mailbox-rows.ts'
import { mailboxAccounts, readMailbox } from './mailboxes.ts'

/** Fits into the 4,096 bytes that DNS providers allow for a TXT record, and every receiver takes it (RFC 8301). */
const KEY_BITS = 2_048
const MAX_DOMAIN_LENGTH = 253
const LABELS = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

const makeKeyPair = promisify(generateKeyPair)

/**
 * Creates a DKIM key for a mailbox, replacing the previous one. Nothing is signed until it is switched on, because
 * receivers must find the DNS record first. Throws 404, and 400 with every fault.
 */
export async function createDkimKey(
  deps: Deps,
  orgId: string,
  { id, ...input }: { id: string; domain: string; selector: string },
): Promise<Mailbox> {
  const domain = input.domain.trim().toLowerCase()
  const selector = input.selector.trim().toLowerCase()
  const { address } = await readMailbox(deps, orgId, id)
  const faults: Fault[] = []
  if (domain.length > MAX_DOMAIN_LENGTH || !LABELS.test(domain) || !signsFor(domain, address)) {
    const detail = `Must be the domain of ${address}, or a parent domain.`
    faults.push({ pointer: '/domain', code: 'invalid_domain', detail })
  }
  if (selector.length > MAX_DOMAIN_LENGTH - domain.length || !LABELS.test(selector)) {
    const detail = 'Must be letters, digits, and hyphens.'
    faults.push({ pointer: '/selector', code: 'invalid_selector', detail })
  }
  if (faults.length > 0) throw invalid(faults)
  const { publicKey, privateKey } = await makeKeyPair('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const dkim = { domain, selector, publicKey: publicKey.toString('base64'), isOn: false }
  return mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.changed' }, (tx, before) =>
    mailboxAccounts.save(tx, before, { dkim, dkimKey: deps.encryption.encrypt(privateKey, id) }),
  )
}

/** Throws 404, and 409 without a key. */
export function switchDkim(
  deps: Deps,
  orgId: string,
  { id, isOn }: { id: string; isOn: boolean },
): Promise<Mailbox> {
  return mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.changed' }, async (tx, before) => {
    if (!before.dkim) throw new AppError(409, 'no_dkim_key', 'Create a DKIM key first.')
    if (before.dkim.isOn === isOn) return before
    return mailboxAccounts.save(tx, before, { dkim: { ...before.dkim, isOn } })
  })
}

/** Throws 404. */
export function removeDkimKey(deps: Deps, orgId: string, id: string): Promise<Mailbox> {
  return mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.changed' }, async (tx, before) =>
    before.dkim ? mailboxAccounts.save(tx, before, { dkim: null, dkimKey: null }) : before,
  )
}
