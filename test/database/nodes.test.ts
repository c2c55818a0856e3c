import { describe, expect, test } from 'bun:test'
import { listApiKeys, revokeApiKey } from '../../server/api-keys/api-keys.ts'
import { engine } from '../../server/database/columns.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type Bellhop, clientWithKey, startBellhop } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { startReceiver } from '../support/receiver.ts'
import { sharedSettings } from '../support/servers.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'
import { openProgram } from './storage.ts'

const ORGANIZATIONS = 8
const TICKETS_EACH = 4

/** Clients of one organization, one for each server. */
async function clientsOf(nodes: Bellhop[]) {
  const [first] = nodes
  const { orgId } = (await first?.organization()) ?? { orgId: '' }
  return Promise.all(nodes.map(({ deps, url }) => clientWithKey(deps, url, orgId, {})))
}

describe.if(engine === 'postgresql')('servers on one PostgreSQL database', () => {
  test('share the work: each webhook is sent once, also by the server that is left', async () => {
    const settings = await sharedSettings()
    const nodes = await Promise.all([startBellhop({ settings }), startBellhop({ settings })])
    await using receiver = Object.assign(await startReceiver(), {
      [Symbol.asyncDispose]: () => receiver.stop(),
    })
    const organizations = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => clientsOf(nodes)))
    for (const [client] of organizations) {
      const endpoint = { url: receiver.url, events: ['ticket.created'] }
      await createEndpoint(nodes[0].deps, client?.orgId ?? '', endpoint)
    }
    const received = () => receiver.requests.map(({ body }) => Buffer.from(body).toString())
    const createEverywhere = (on: number[]) =>
      Promise.all(
        organizations.flatMap((clients) =>
          Array.from({ length: TICKETS_EACH }, (_, each) => clients[on[each % on.length] ?? 0]).flatMap(
            (client) => (client ? [makeTicket(client)] : []),
          ),
        ),
      )
    await createEverywhere([0, 1])
    const created = ORGANIZATIONS * TICKETS_EACH
    await eventually(() => received().length >= created)
    await nodes[0].stop()
    await createEverywhere([1])
    await eventually(() => received().length >= 2 * created)
    expect(received()).toHaveLength(2 * created)
    expect(new Set(received()).size).toBe(2 * created)
    await nodes[1].stop()
    const logged = nodes.flatMap(({ logLines }) => logLines.map((line) => JSON.parse(line)))
    expect(logged.filter(({ loop }) => loop === 'search_index' || loop === 'reactions')).toEqual([])
  })

  test('know at once of a key that another server or a command revoked', async () => {
    const settings = await sharedSettings()
    const nodes = await Promise.all([startBellhop({ settings }), startBellhop({ settings })])
    const [first, second] = await clientsOf(nodes)
    const call = async (path: string) => (await second?.call('GET', path))?.status
    expect(await call('/tickets')).toBe(200)
    const keys = await listApiKeys(nodes[0].deps, first?.orgId ?? '')
    for (const { id } of keys) await revokeApiKey(nodes[0].deps, first?.orgId ?? '', id)
    await eventually(async () => (await call('/tickets')) === 401)
    await Promise.all(nodes.map((node) => node.stop()))
  })

  test('must have their files in the same bucket', async () => {
    const settings = await sharedSettings()
    const first = await startBellhop({ settings })
    const refusal = async (files: string) => {
      const other = startBellhop({ settings: { ...settings, BELLHOP_FILES: files } })
      return other.then(({ stop }) => stop()).catch(({ message }) => message)
    }
    const different =
      'Another server uses this database with another value of BELLHOP_FILES. All servers of a database must have the same.'
    expect(await refusal('')).toBe(different)
    expect(await refusal('s3://files/other')).toBe(different)
    await first.stop()
    const alone = await startBellhop({ settings: { ...settings, BELLHOP_FILES: '' } })
    expect(await refusal('')).toBe(
      'Another server uses this database. Servers that share one need their files in a bucket: set BELLHOP_FILES.',
    )
    await alone.stop()
  })

  test('must have the same secret; commands can run beside them', async () => {
    const settings = await sharedSettings()
    const first = await startBellhop({ settings })
    const other = { ...settings, BELLHOP_SECRET: 'another one for this server' }
    expect(await startBellhop({ settings: other }).catch((reason) => reason)).toMatchObject({
      name: 'StartError',
      message:
        'Another server uses this database with another value of BELLHOP_SECRET. All servers of a database must have the same.',
    })
    await (await openProgram({ ...(await freshPlace()), ...settings }))[Symbol.asyncDispose]()
    await first.stop()
  })
})
