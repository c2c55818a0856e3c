import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { signInAgent } from '../support/agents.ts'
import { askForTokens, listTools, newCode, refresh } from '../support/oauth.ts'
import { startServers } from '../support/servers.ts'

describe.if(engine === 'postgresql')('several servers on one database', () => {
  test('a program signs in on any of them, works on each, and loses its access on all at once', async () => {
    await using cluster = await startServers({})
    const [first, second, third] = cluster.servers
    const { id } = await createOrganization(first.deps, { name: 'Acme' })
    const agent = await signInAgent(first, id)

    const code = await newCode(first, agent)
    const { json } = await askForTokens(second, code)
    const tokens = { ...json, clientId: code.client_id ?? '' }
    const statuses = async (token: string) =>
      Promise.all(cluster.servers.map(async (node) => (await listTools(node, token)).status))
    expect(await statuses(tokens.access_token)).toEqual([200, 200, 200])

    const programs = await agent.call<{ data: { id: string }[] }>('GET', '/console/connected-programs')
    await agent.at(third.url).call('DELETE', `/console/connected-programs/${programs.json.data[0]?.id}`)
    expect(await statuses(tokens.access_token)).toEqual([401, 401, 401])
    expect((await refresh(second, tokens)).status).toBe(400)
  })

  test('a refresh token that is used on all of them at once gives tokens at most once, and ends the grant', async () => {
    await using cluster = await startServers({})
    const [first] = cluster.servers
    const { id } = await createOrganization(first.deps, { name: 'Acme' })
    const agent = await signInAgent(first, id)
    for (let round = 0; round < 5; round += 1) {
      const code = await newCode(first, agent)
      const { json } = await askForTokens(first, code)
      const tokens = { ...json, clientId: code.client_id ?? '' }
      const answers = await Promise.all(
        [...cluster.servers, ...cluster.servers].map((node) => refresh(node, tokens)),
      )
      const given = answers.filter(({ status }) => status === 200)
      expect(given.length).toBeLessThanOrEqual(1)
      expect(answers.filter(({ status }) => status !== 200).map(({ status }) => status)).toEqual(
        Array(answers.length - given.length).fill(400),
      )
      expect((await listTools(first, tokens.access_token)).status).toBe(401)
    }
  })
})
