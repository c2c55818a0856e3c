import type { TicketStatus } from '../../database/tables/tickets.ts'
import { type Fault, invalid } from '../../errors.ts'
import type { MetadataChange } from '../../requests/metadata.ts'
import type { InboxChange } from '../update-ticket.ts'

/** A change of a ticket as `/v1` takes it. */
interface RequestedChange {
  status?: TicketStatus
  assignedTo?: string | null
  tags?: string[]
  addTags?: string[]
  removeTags?: string[]
  subject?: string
  spam?: boolean
  externalId?: string | null
  metadata?: MetadataChange
}

/** Throws 400 when it replaces all tags and changes single ones. `pointer` is where it stands in the body. */
export function changeOf({ spam, ...change }: RequestedChange, pointer = ''): InboxChange {
  const beside = change.tags ? (['addTags', 'removeTags'] as const).filter((name) => change[name]) : []
  const faults: Fault[] = beside.map((name) => ({
    pointer: `${pointer}/${name}`,
    code: 'not_allowed',
    detail: 'Not beside `tags`, which replaces all tags.',
  }))
  if (faults.length > 0) throw invalid(faults)
  return { ...change, ...(spam !== undefined && { isSpam: spam }) }
}
