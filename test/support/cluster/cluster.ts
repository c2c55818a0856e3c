import { createApiKey } from '../../../server/api-keys/api-keys.ts'
import { createWidget } from '../../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../../server/config.ts'
import { KEY_SCOPES } from '../../../server/database/tables/api-keys.ts'
import type { Deps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { openDeps } from '../../../server/open-deps.ts'
import { createOrganization } from '../../../server/organizations/organizations.ts'
import { PROXIES, startProxy } from '../../docs/proxies.ts'
import { type SignedInAgent, signInAgent } from '../agents.ts'
import { writeCaFile } from '../certificates.ts'
import { createAs, startOtherSides } from '../every-channel.ts'
import { temporaryFolder } from '../folder.ts'
import { reservePort } from '../mail/ports.ts'
import type { Place } from '../program.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { startS3 } from '../s3-server.ts'
import { ORIGIN } from '../visitors.ts'
import { eventually } from '../webhooks.ts'
import { type ClusterNode, createNode } from './nodes.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from './replicated-postgres.ts'
import type { Tenant } from './writers.ts'

const SECRET = 'the same secret on every node of the cluster'
const UNLIMITED = { rateLimit: 1_000_000 }

export interface ClusterSettings {
  /** One or three, as in the guide. */
  nodes?: 1 | 3
  balancer?: 'nginx' | 'caddy'
  organizations?: number
  /** Whether a commit waits for the standby. */
  isSynchronous?: boolean
  /** Whether the clocks of nodes can be set. */
  haveOwnClocks?: boolean
  /** Whether the first organization has a mailbox, a bot, and a widget. */
  hasChannels?: boolean
  /** More settings of every node. */
  settings?: Place
}

export interface Channels extends Awaited<ReturnType<typeof startOtherSides>> {
  widget: { key: string }
  identitySecret: string
}

/** One of its organizations. */
export interface Organization extends Tenant {
  admin: SignedInAgent
}

/**
 * Nodes behind a proxy, on a PostgreSQL server with a standby, and what is on the other side of the channels of the first
 * organization. Every organization has an endpoint at the receiver, for `ticket.created`.
 */
export interface TestCluster extends AsyncDisposable {
  /** Of the proxy. */
  url: string
  nodes: ClusterNode[]
  postgres: ReplicatedPostgres
  /** The address of the server that is the primary now, past every relay. */
  database(): string
  receiver: Receiver
  organizations: Organization[]
  /** The widget of the first organization, and what is on the other side of its mailbox and its bot, if it has them. */
  channels: Channels | undefined
  /** Kills the primary, makes the standby the primary, and has every node's address lead there. */
  failOver(): Promise<void>
}

export async function startCluster({
  nodes: count = 3,
  balancer: program = 'nginx',
  organizations: organizationCount = 20,
  isSynchronous = true,
  haveOwnClocks = false,
  hasChannels = false,
  settings = {},
}: ClusterSettings = {}): Promise<TestCluster> {
  await using started = new AsyncDisposableStack()
  const postgres = started.use(await startReplicatedPostgres({ isSynchronous }))
  let database = postgres.primary.address
  const receiver = await startReceiver()
  started.defer(receiver.stop)
  const sides = hasChannels ? await startOtherSides() : undefined
  started.defer(async () => void (await sides?.stop()))
  const s3 = await startS3()
  if (!s3) throw new Error('moto is not installed. Run: bun run programs')
  started.use(s3)
  const place: Place = {
    ...s3.filesSettings(),
    BELLHOP_SECRET: SECRET,
    BELLHOP_TRUST_PROXY: '127.0.0.0/8',
    BELLHOP_RATE_LIMIT: '1000000',
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: await writeCaFile(),
    BELLHOP_WEBHOOK_RETRIES: Array(20).fill('1s').join(),
    // Nothing listens on the discard port (RFC 863).
    BELLHOP_TELEGRAM_API: 'http://127.0.0.1:9',
    ...sides?.settings,
    ...settings,
  }
  const nodes = Array.from({ length: count }, () => createNode(database, place, haveOwnClocks))
  for (const node of nodes) {
    started.use(node.relay)
    started.defer(node.kill)
  }
  const proxy = PROXIES.find((one) => one.program === program)
  if (!proxy) throw new Error(`The guide has no ${program}.`)
  const port = reservePort()
  const url = `http://127.0.0.1:${port}`
  const upstreams = nodes.map((node) => node.url)
  const { stop } = await startProxy(proxy, port, upstreams, { isPlain: true })
  started.defer(async () => void (await stop()))
  const deps = await openDeps(
    readConfig({ ...place, DATABASE_URL: database, BELLHOP_DATA: temporaryFolder('data') }),
    { log: createLog('error', false, () => {}, Date.now) },
  )
  const organizations = await Promise.all(
    Array.from({ length: organizationCount }, (_, number) => createTenant(deps, url, number)),
  )
  const [first] = organizations
  const widget = first && (await createWidget(deps, first.orgId, { name: 'Shop', origins: [ORIGIN] }))
  await deps.database.close()
  await Promise.all(nodes.map((node) => node.start()))
  // A proxy that asks them finds them ready a moment later.
  await eventually(async () => (await fetch(`${url}/health/ready`)).ok)
  for (const { admin, orgId } of organizations) {
    await createAs(admin, '/console/endpoints', {
      url: `${receiver.url}/${orgId}`,
      events: ['ticket.created'],
    })
  }
  if (first) await sides?.connect(first.admin)
  const everything = started.move()
  return {
    url,
    nodes,
    postgres,
    database: () => database,
    receiver,
    organizations,
    channels: sides && widget && { ...sides, widget: widget.widget, identitySecret: widget.identitySecret },
    async failOver() {
      await postgres.primary.kill()
      await postgres.promote()
      database = postgres.standby.address
      for (const { relay } of nodes) relay.leadTo(database)
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

async function createTenant(deps: Deps, url: string, number: number): Promise<Organization> {
  const { id: orgId } = await createOrganization(deps, { name: `Organization ${number}` })
  const { secret: key } = await createApiKey(deps, orgId, {
    name: 'Website',
    kind: 'secret',
    scopes: [...KEY_SCOPES],
    ...UNLIMITED,
  })
  const admin = await signInAgent({ deps, url }, orgId, { role: 'admin' })
  return { orgId, key, admin }
}
