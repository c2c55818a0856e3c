import { timingSafeEqual } from 'node:crypto'
import { prepareAgent } from '../agents/agents.ts'
import { insertOrganization } from '../agents/set-up.ts'
import { organizations } from '../database/tables/organizations.ts'
import { actingAs, type Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newOrganization, requireName } from '../organizations/organizations.ts'
import { hashToken, newToken } from '../token.ts'
import { type SeenFrom, startSession } from './sessions.ts'

export interface FirstRunInput {
  token: string
  organization: string
  name: string
  email: string
  password: string
  from: SeenFrom
}

/**
 * How a person makes the first organization in the browser: by a link that the server prints when it starts, whose
 * token only this process knows. Whoever merely reaches the server must not become its administrator.
 */
export function createFirstRun(deps: Deps) {
  const token = newToken(deps)
  const hash = hashToken(token)
  let last: Promise<unknown> = Promise.resolve()

  async function check(given: string): Promise<void> {
    if (!timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hash))) throw wrongLink()
    if (!(await isOpen(deps))) throw alreadySetUp()
  }

  async function setUp(input: FirstRunInput): Promise<string> {
    await check(input.token)
    return makeFirst(deps, input)
  }

  return {
    token,
    isOpen: () => isOpen(deps),
    /** Whether a link still works, before a person fills in a form for nothing. Throws like `setUp`. */
    check,
    /**
     * The organization with its administrator, who is signed in: answers the session's token. Throws 403 for a wrong
     * token, 409 once there is an organization, 400 for wrong input. One at a time: on PostgreSQL two units would
     * both find no organization.
     */
    setUp(input: FirstRunInput): Promise<string> {
      const turn = last.then(() => setUp(input))
      last = turn.catch(() => {})
      return turn
    },
  }
}

export type FirstRun = ReturnType<typeof createFirstRun>

async function isOpen(deps: Deps): Promise<boolean> {
  const some = await deps.database.read.select({ id: organizations.id }).from(organizations).limit(1)
  return some.length === 0
}

async function makeFirst(deps: Deps, input: FirstRunInput): Promise<string> {
  const organization = newOrganization(deps, requireName(input.organization, '/organization'))
  const orgId = organization.id
  const prepared = await prepareAgent(deps, orgId, { ...input, role: 'admin' })
  const { id: agentId, name } = prepared.agent
  const actor = { kind: 'agent', id: agentId, name, address: input.from.address } as const
  const token = newToken(deps)
  await deps.database.write(async (tx) => {
    const some = await tx.select({ id: organizations.id }).from(organizations).limit(1)
    if (some.length > 0) throw alreadySetUp()
    await insertOrganization(actingAs(deps, actor), tx, organization, prepared)
    await startSession(deps, tx, { orgId, agentId, token, ...input.from })
  })
  return token
}

function wrongLink(): AppError {
  const detail = 'Open the link that the server printed when it started; an earlier one is no longer good.'
  return new AppError(403, 'wrong_link', detail)
}

function alreadySetUp(): AppError {
  return new AppError(409, 'already_set_up', 'There is an organization already. Sign in instead.')
}
