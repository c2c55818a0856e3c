import { eq, getTableColumns, sql } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { type Fault, invalid, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isBlank } from '../text/text.ts'
import { MAX_NAME_LENGTH } from './organizations.ts'

const MAX_WEBSITE_LENGTH = 2_048
export const MAX_SIGNATURE_LENGTH = 10_000

const {
  lastVisitor: _,
  lastEvent: _lastEvent,
  erasedEvent: _erasedEvent,
  logId: _logId,
  ...columns
} = getTableColumns(organizations)

export type Settings = Pick<typeof organizations.$inferSelect, keyof typeof columns>
type OrganizationSettings = Omit<Settings, 'id' | 'createdAt'>

export async function readSettings(deps: Deps, orgId: string): Promise<Settings> {
  const [found] = await deps.database.read
    .select(columns)
    .from(organizations)
    .where(eq(organizations.id, orgId))
  if (!found) throw notFound('organization')
  return found
}

/** Changes the given settings. Throws 400 with every invalid field. */
export function changeSettings(
  deps: Deps,
  orgId: string,
  change: Partial<OrganizationSettings>,
): Promise<Settings> {
  const values = validate(change)
  return deps.database.write(orgId, async (tx) => {
    const [before] = await tx
      .update(organizations)
      .set({ name: sql`${organizations.name}` })
      .where(eq(organizations.id, orgId))
      .returning(columns)
    if (!before) throw notFound('organization')
    const after = { ...before, ...values }
    const earlier = new Map<string, unknown>(Object.entries(before))
    const changed = Object.entries(after).filter(([field, to]) => !Bun.deepEquals(to, earlier.get(field)))
    if (changed.length === 0) return before
    await tx.update(organizations).set(values).where(eq(organizations.id, orgId))
    await recordAudit(deps, tx, orgId, {
      action: 'organization.changed',
      subject: { id: orgId, label: after.name },
      detail: Object.fromEntries(changed.map(([field, to]) => [field, { from: earlier.get(field), to }])),
    })
    recordWorkspaceChange(deps, tx, orgId)
    return after
  })
}

/** Trims the values. A signature is trimmed at the end only, to keep the indentation of its first line. */
function validate(change: Partial<OrganizationSettings>): Partial<OrganizationSettings> {
  const { name, publicName, website, signature, shownMetadata: keys, ...others } = change
  const values = {
    ...others,
    ...(name !== undefined && { name: name.trim() }),
    ...(publicName !== undefined && { publicName: publicName.trim() }),
    ...(website !== undefined && { website: website.trim() }),
    ...(signature !== undefined && { signature: signature.trimEnd() }),
    ...(keys && { shownMetadata: keys.length > 0 ? [...new Set(keys)] : null }),
  }
  const faults = faultsOf(values)
  if (faults.length > 0) throw invalid(faults)
  return values
}

function faultsOf({ name, publicName, website, signature }: Partial<OrganizationSettings>): Fault[] {
  const faults: Fault[] = []
  if (name !== undefined && (isBlank(name) || name.length > MAX_NAME_LENGTH)) {
    const detail = `Must be 1 to ${MAX_NAME_LENGTH} characters.`
    faults.push({ pointer: '/name', code: 'invalid_name', detail })
  }
  if (publicName !== undefined && publicName.length > MAX_NAME_LENGTH) {
    const detail = `Must be at most ${MAX_NAME_LENGTH} characters.`
    faults.push({ pointer: '/publicName', code: 'too_long', detail })
  }
  if (website !== undefined && website !== '' && !isWebsite(website)) {
    const detail = 'Must be empty or a URL such as https://example.com.'
    faults.push({ pointer: '/website', code: 'invalid_format', detail })
  }
  if (signature !== undefined && signature.length > MAX_SIGNATURE_LENGTH) {
    const detail = `Must be at most ${MAX_SIGNATURE_LENGTH} characters.`
    faults.push({ pointer: '/signature', code: 'too_long', detail })
  }
  return faults
}

function isWebsite(text: string): boolean {
  return text.length <= MAX_WEBSITE_LENGTH && /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text)
}
