import { expect, test } from 'bun:test'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { call } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import type { MoveJson } from '../support/moves.ts'
import { startProgram } from '../support/program.ts'
import { type TicketJson, ticketInput } from '../support/tickets.ts'

const KILLS = 12
const MESSAGES = 100
const MAX_LIFE_MS = 40

test('a server that is killed while it merges tickets or undoes it has done all of it or nothing', async () => {
  const place = await freshPlace()
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const { secret } = await createApiKey(deps, orgId, { name: 'Website', kind: 'secret', rateLimit: 100_000 })
  await deps.database.close()
  const headers = { authorization: `Bearer ${secret}` }
  let server = await startProgram(place)
  const ask = <Json>(method: string, path: string, body?: object) =>
    call<Json>(method, `${server.url}/v1${path}`, { headers, ...(body && { body }) })
  const read = async (id: string) =>
    (await ask<TicketJson & { mergedInto?: string }>('GET', `/tickets/${id}`)).json
  for (let kill = 0; kill < KILLS; kill += 1) {
    const into = (await ask<TicketJson>('POST', '/tickets', ticketInput())).json.id
    const from = (await ask<TicketJson>('POST', '/tickets', ticketInput())).json.id
    for (let sent = 0; sent < MESSAGES; sent += 1)
      await ask('POST', `/tickets/${from}/messages`, { text: `Message ${sent}` })
    const merge = () => ask<MoveJson>('POST', `/tickets/${into}/merge`, { from })
    const isUndo = kill % 2 === 1
    const asked = isUndo ? ask('POST', `/moves/${(await merge()).json.id}/undo`) : merge()
    const ended = asked.catch(() => undefined)
    await Bun.sleep(Math.random() * MAX_LIFE_MS)
    await server.end('SIGKILL')
    const answer = await ended
    server = await startProgram(place)
    const [gone, kept] = [await read(from), await read(into)]
    const isMerged = gone.mergedInto !== undefined
    // What was answered is kept. Without an answer it is either.
    if (answer)
      expect({ status: answer.status, isMerged }).toEqual({ status: answer.status, isMerged: !isUndo })
    expect([gone.mergedInto, gone.status, gone.messages.length, kept.messages.length]).toEqual(
      isMerged ? [into, 'resolved', 0, MESSAGES + 2] : [undefined, 'open', MESSAGES + 1, 1],
    )
  }
  await server.end('SIGTERM')
}, 120_000)
