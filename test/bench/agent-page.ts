import { createAgent } from '../../server/agents/agents.ts'
import { readConfig } from '../../server/config.ts'
import { newToken } from '../../server/encryption.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { startSession } from '../../server/sessions/sessions.ts'
import type { Workspace } from './workspace.ts'

/** An agent with an open inbox. Returns the cookie. */
export async function signInAgent({ folder, orgId }: Workspace): Promise<string> {
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder }), { log })
  const { id: agentId } = await createAgent(deps, orgId, {
    name: 'Ana',
    email: 'ana@example.com',
    role: 'agent',
  })
  const token = newToken(deps)
  await deps.database.write(undefined, (tx) =>
    startSession(deps, tx, { orgId, agentId, token, device: '', address: '' }),
  )
  await deps.database.close()
  return `bellhop_session=${token}`
}
