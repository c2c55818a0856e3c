import { prepareAgent } from '../agents/agents.ts'
import { insertOrganization } from '../agents/set-up.ts'
import { actingAs, type Deps } from '../deps.ts'
import { hashToken, newToken } from '../encryption.ts'
import { AppError } from '../errors.ts'
import { isSetUp } from '../organizations/directory.ts'
import { newOrganization, requireName } from '../organizations/organizations.ts'
import { lockByName } from '../requests/stored-windows.ts'
import { type SeenFrom, startSession } from './sessions.ts'

interface FirstRunInput {
  token: string
  organization: string
  name: string
  email: string
  password: string
  from: SeenFrom
}

/**
 * Creates the first organization in the browser, through a link that the server prints at startup. The link's token is made
 * from the secret, so being able to reach the server isn't enough to become its administrator, and all nodes of a cluster
 * have the same link.
 */
export function createFirstRun(deps: Deps) {
  const token = deps.encryption.token('setup link')

  async function check(given: string): Promise<void> {
    if (hashToken(given) !== hashToken(token)) throw wrongLink()
    if (await isSetUp(deps.database.read)) throw alreadySetUp()
  }

  return {
    token,
    isOpen: async () => !(await isSetUp(deps.database.read)),
    /** Checks a link before the form is shown. Throws what `setUp` throws. */
    check,
    /**
     * Creates the organization and its administrator, and returns the token of the administrator's session. Throws 403
     * for a wrong token, 409 when an organization exists, and 400 for invalid input.
     */
    async setUp(input: FirstRunInput): Promise<string> {
      await check(input.token)
      return createFirst(deps, input)
    },
  }
}

export type FirstRun = ReturnType<typeof createFirstRun>

async function createFirst(deps: Deps, input: FirstRunInput): Promise<string> {
  const organization = newOrganization(deps, requireName(input.organization, '/organization'))
  const orgId = organization.id
  const prepared = await prepareAgent(deps, orgId, { ...input, role: 'admin' })
  const { id: agentId, name } = prepared.agent
  const actor = { kind: 'agent', id: agentId, name, address: input.from.address } as const
  const token = newToken(deps)
  await deps.database.write(orgId, async (tx) => {
    // On PostgreSQL, two concurrent units would both find no organization.
    await lockByName(tx, 'setup')
    if (await isSetUp(tx)) throw alreadySetUp()
    await insertOrganization(actingAs(deps, actor), tx, organization, prepared)
    await startSession(deps, tx, { orgId, agentId, token, ...input.from })
  })
  return token
}

function wrongLink(): AppError {
  const detail = 'Open the link that the server printed when it started.'
  return new AppError(403, 'wrong_link', detail)
}

function alreadySetUp(): AppError {
  return new AppError(409, 'already_set_up', 'Bellhop is already set up. Sign in instead.')
}
