import { attach } from '../attachments/bindings.ts'
import { type Attachment, deleteFiles, findAttachmentsOf, findUnsent } from '../attachments/queries.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { attachments } from '../database/tables/attachments.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { requireName } from '../organizations/organizations.ts'
import { type Agent, insertAgent, lockAgent } from './agents.ts'

// A program is an agent that can't sign in: it has no email and no password, and works through the API keys that belong
// to it.

const MAX_PICTURE_BYTES = 1_048_576
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Throws 400 for an invalid name. */
export async function createProgram(deps: Deps, orgId: string, input: { name: string }): Promise<Agent> {
  const agent: Agent = {
    id: deps.newId('agt'),
    orgId,
    name: requireName(input.name),
    email: '',
    role: 'program',
    picture: null,
    canSignIn: false,
    lastSeenAt: null,
    disabledAt: null,
    createdAt: deps.clock.now(),
  }
  await deps.database.write(orgId, async (tx) => {
    await insertAgent(tx, { agent, passwordHash: null })
    const subject = { id: agent.id, label: agent.name }
    await recordAudit(deps, tx, orgId, {
      action: 'agent.created',
      subject,
      detail: { role: agent.role },
    })
    recordWorkspaceChange(deps, tx, orgId)
  })
  return agent
}

interface NewPicture {
  id: string
  /** Id of an upload; null to have none. */
  picture: string | null
  /** Id of the agent who uploaded it. */
  uploader: string
}

/**
 * Makes an upload the picture of a program, which owns the file from then on. Throws 404, 400 for a file that is no image
 * or too large, and 409 for an agent who isn't a program.
 */
export async function setPicture(
  deps: Deps,
  orgId: string,
  { id, picture, uploader }: NewPicture,
): Promise<Agent> {
  const { agent, dropped } = await deps.database.write(orgId, async (tx) => {
    const before = await lockAgent(tx, orgId, id)
    if (before.role !== 'program') {
      throw new AppError(409, 'not_a_program', 'Only a program has a picture.')
    }
    const old = await tx
      .delete(attachments)
      .where(matches(attachments, { orgId, ownerId: id }))
      .returning({ hash: attachments.hash })
    const hash = picture === null ? null : await bindPicture(deps, tx, orgId, { id, picture, uploader })
    await tx.update(agents).set({ picture: hash }).where(matches(agents, { orgId, id }))
    const subject = { id, label: before.name }
    await recordAudit(deps, tx, orgId, { action: 'agent.picture_changed', subject })
    recordWorkspaceChange(deps, tx, orgId)
    return { agent: { ...before, picture: hash }, dropped: old }
  })
  await deleteFiles(
    deps,
    dropped.map(({ hash }) => hash),
  )
  return agent
}

/** The picture's file, as an attachment. Throws 404 without one. */
export async function readPicture(
  { database: { read }, files }: Deps,
  orgId: string,
  id: string,
): Promise<{ attachment: Attachment; file: Bun.BunFile }> {
  const [attachment] = isId('agt', id) ? await findAttachmentsOf(read, { orgId, ownerId: id }) : []
  const opened = attachment && (await files.open(attachment.hash))
  if (!opened || !('file' in opened)) throw notFound('picture')
  return { attachment, file: opened.file }
}

async function bindPicture(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { id: ownerId, picture, uploader }: NewPicture & { picture: string },
): Promise<string> {
  const [upload] = await findUnsent(tx, { orgId, uploader, ids: [picture] })
  if (upload && !PICTURE_TYPES.includes(upload.type)) throw notAPicture('Must be a PNG, JPEG, GIF or WebP.')
  if (upload && upload.size > MAX_PICTURE_BYTES) throw notAPicture('Must be at most 1 MB.')
  const uploads = { ids: [picture], uploader }
  const [bound] = await attach(deps, tx, orgId, { ownerId, ticketId: null, files: { uploads } })
  if (!bound) throw new Error('The unit that bound a picture has none.')
  return bound.hash
}

function notAPicture(detail: string) {
  return invalid([{ pointer: '/picture', code: 'not_allowed', detail }])
}
