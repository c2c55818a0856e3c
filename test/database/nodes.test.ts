import { describe, expect, test } from 'bun:test'
import { listApiKeys, revokeApiKey } from '../../server/api-keys/api-keys.ts'
import { engine } from '../../server/database/columns.ts'
import { VERSION } from '../../server/version.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type Bellhop, call, clientWithKey, startBellhop } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { runProgram } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { sharedSettings } from '../support/servers.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'
import { openProgram, seenElsewhere } from './storage.ts'

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
    const refusal = async (files: string, others = {}) => {
      const other = startBellhop({ settings: { ...settings, BELLHOP_FILES: files, ...others } })
      return other.then(({ stop }) => stop()).catch(({ message }) => message)
    }
    const different = (names: string) =>
      `Another server uses this database with another value of ${names}. All servers of a database must have the same.`
    const { BELLHOP_FILES = '', AWS_ENDPOINT_URL_S3 } = settings
    expect(await refusal('')).toBe(different('BELLHOP_FILES'))
    expect(await refusal('s3://files/other')).toBe(different('BELLHOP_FILES'))
    const elsewhere = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:10' }
    expect(await refusal(BELLHOP_FILES, elsewhere)).toBe(different('AWS_ENDPOINT_URL_S3'))
    expect(await refusal(BELLHOP_FILES, { AWS_REGION: 'eu-central-1' })).toBe(different('AWS_REGION'))
    const same = { AWS_ENDPOINT_URL_S3: `${AWS_ENDPOINT_URL_S3}/`, AWS_REGION: 'us-east-1' }
    expect(await refusal(BELLHOP_FILES, same)).toBeUndefined()
    const place = { BELLHOP_DATA: first.deps.config.dataFolder }
    const command = await runProgram({ ...settings, ...elsewhere, ...place }, ['files', 'check'])
    expect(command.err).toContain('AWS_ENDPOINT_URL_S3 is ')
    expect(command.err).toContain(' for the server, and http://127.0.0.1:10 for this command.')
    await first.stop()
    const alone = await startBellhop({ settings: { ...settings, BELLHOP_FILES: '' } })
    expect(await refusal('')).toBe(
      'Another server uses this database. Servers that share one need their files in a bucket: set BELLHOP_FILES.',
    )
    await alone.stop()
  })

  test('must have the same address; about limits that differ, doctor warns', async () => {
    const settings = { ...(await sharedSettings()), BELLHOP_URL: 'http://help.example.com' }
    const first = await startBellhop({ settings })
    const other = { ...settings, BELLHOP_URL: 'http://support.example.com' }
    expect(await startBellhop({ settings: other }).catch(({ message }) => message)).toBe(
      'Another server uses this database with another value of BELLHOP_URL. All servers of a database must have the same.',
    )
    const second = await startBellhop({ settings: { ...settings, BELLHOP_RATE_LIMIT: '100' } })
    const { out } = await runProgram({ ...settings, BELLHOP_DATA: first.deps.config.dataFolder }, ['doctor'])
    expect(out).toContain('The servers have different values of BELLHOP_RATE_LIMIT.')
    await Promise.all([first.stop(), second.stop()])
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

  test('run beside those of the next release, on data that these upgraded, and not of the release after it', async () => {
    const settings = await sharedSettings()
    const place = { ...(await freshPlace()), ...settings }
    const first = await startBellhop({ settings })
    const [major, minor = 0] = VERSION.split('.').map(Number)
    const [next, tooFar] = [1, 2].map((later) => `${major}.${minor + later}.0`)
    const upgradeTo = async (version = '') => {
      await seenElsewhere(place, `update nodes set version = '${version}'`)
      await seenElsewhere(
        place,
        `insert into bellhop_migrations (version, name, applied_at, fingerprint, program)
          values (900, 'later', 0, '', '${version}') on conflict (version) do update set program = excluded.program`,
      )
    }
    await upgradeTo(next)
    const beside = await startBellhop({ settings })
    expect((await (await clientsOf([beside]))[0]?.call('GET', '/tickets'))?.status).toBe(200)
    await beside.stop()
    await upgradeTo(tooFar)
    const refused = () => startBellhop({ settings }).catch((reason) => reason)
    expect(await refused()).toMatchObject({
      name: 'NewerDataError',
      message: `Bellhop ${tooFar} has upgraded the data, and this program is ${VERSION}. Start the newer program.`,
    })
    await seenElsewhere(place, 'delete from bellhop_migrations where version = 900')
    expect(await refused()).toMatchObject({
      name: 'StartError',
      message: `Another server of this database runs Bellhop ${tooFar}, and this is ${VERSION}. Only servers of two releases that follow each other can run together.`,
    })
    await first.stop()
  })

  test('begin the event log anew on a restored database, and go on with it after a restart', async () => {
    const settings = await sharedSettings()
    const original = await startBellhop({ settings })
    const client = await original.organization()
    await makeTicket(client)
    const { json } = await client.call<{ meta: { newest: string } }>('GET', '/events')
    await original.stop()
    const statusOn = async (DATABASE_URL: string) => {
      const server = await startBellhop({ settings: { ...settings, DATABASE_URL } })
      const path = `${server.url}/v1/events?after=${json.meta.newest}`
      const { status } = await call('GET', path, { headers: { authorization: `Bearer ${client.key}` } })
      await server.stop()
      return status
    }
    const url = settings.DATABASE_URL ?? ''
    expect(await statusOn(url)).toBe(200)
    const name = new URL(url).pathname.slice(1)
    const admin = { ...(await freshPlace()), DATABASE_URL: new URL('/postgres', url).href }
    await seenElsewhere(admin, `create database ${name}_restored template ${name}`)
    const restored = new URL(`/${name}_restored`, url).href
    expect([await statusOn(restored), await statusOn(restored), await statusOn(url)]).toEqual([410, 410, 200])
  })

  test('say that they stop, and give their work to the others, before they do', async () => {
    const settings = await sharedSettings()
    const nodes = await Promise.all([startBellhop({ settings }), startBellhop({ settings })])
    const [first, second] = nodes
    const held = async () => {
      const text = await (await fetch(`${second.url}/metrics`)).text()
      return Number(/^bellhop_partitions_held (\d+)$/m.exec(text)?.[1])
    }
    await eventually(async () => (await held()) === 16)
    const retiring = first.retire()
    const ready = await fetch(`${first.url}/health/ready`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'This server is stopping.' }])
    const [client] = await clientsOf([first])
    const answer = await client?.call('GET', '/tickets')
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([200, 'close'])
    await eventually(async () => (await held()) === 32)
    await retiring
    await Promise.all(nodes.map((node) => node.stop()))
  })
})
