import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { receiveUpload } from '../../server/attachments/uploads.ts'
import { readConfig } from '../../server/config.ts'
import { type Deps, openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { postAgentMessage } from '../../server/tickets/messages.ts'
import { createEmptyDatabase, postgresPrograms, startCluster } from '../support/postgres.ts'
import { SOURCES } from '../support/program.ts'
import { createAnsweredTickets } from './answered-tickets.ts'
import type { Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const TICKETS = Number(process.env.BENCH_TICKETS ?? 100_000)
/** A ticket whose thread and files are larger than others. */
const LONG_THREAD = 2_000
const LARGE_FILE_BYTES = 25 * 1024 * 1024
const FILES = 500
const FILE_BYTES = 40 * 1024
const MIB = 1024 * 1024
const SAMPLE_EVERY_MS = 20

interface Run {
  seconds: number
  mebibytes: number
}

/**
 * An organization with 1.5 messages in each ticket goes out, onto PostgreSQL, out again, into another embedded database,
 * and out once more. Its events and held deliveries go with it.
 */
export async function benchExportImport(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-bench-export-'))
  await fill(workspace)
  const [first, second, third] = ['first', 'second', 'third'].map((name) => join(folder, `${name}.jsonl`))
  const embedded = { BELLHOP_DATA: workspace.folder }
  const smallExport = await emptyRun(folder)
  const out = await timed(embedded, 'export', String(first))
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed. (bun run programs)')
  const cluster = await startCluster(programs)
  const postgres = {
    BELLHOP_DATA: join(folder, 'postgresql'),
    DATABASE_URL: await createEmptyDatabase(cluster.address),
  }
  const onto = await timed(postgres, 'import', String(first))
  const outAgain = await timed(postgres, 'export', String(second))
  await cluster.stop()
  const other = { BELLHOP_DATA: join(folder, 'embedded') }
  const back = await timed(other, 'import', String(second))
  const last = await timed(other, 'export', String(third))
  const hashes = [first, second, third].map((file) => sha256(String(file)))
  const size = statSync(String(first)).size
  workspace.remove()
  rmSync(folder, { recursive: true })
  const runs = { out, onto, outAgain, back, last }
  const described = Object.entries(runs).map(([name, { seconds, mebibytes }]) => {
    return `${name} ${seconds.toFixed(1)} s ${mebibytes.toFixed(0)} MiB`
  })
  return [
    {
      name: `different files of ${TICKETS} tickets, embedded, PostgreSQL, and embedded again`,
      measured: new Set(hashes).size,
      unit: 'ratio',
      target: 1,
      wanted: 'at most',
      detail: `${(size / MIB).toFixed(0)} MiB ${hashes[0]}`,
    },
    {
      name: 'highest memory of an export or import, above an export of nothing',
      measured: Math.max(...Object.values(runs).map(({ mebibytes }) => mebibytes)) - smallExport.mebibytes,
      unit: 'MiB',
      target: 200,
      wanted: 'at most',
      detail: `${described.join(', ')}; nothing ${smallExport.mebibytes.toFixed(0)} MiB`,
    },
  ]
}

async function emptyRun(folder: string): Promise<Run> {
  const place = { BELLHOP_DATA: join(folder, 'nothing') }
  await timed(place, 'setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com')
  return timed(place, 'export', join(folder, 'nothing.jsonl'))
}

async function timed(place: Record<string, string>, ...args: string[]): Promise<Run> {
  const startedAt = performance.now()
  const child = Bun.spawn([...SOURCES, ...args], {
    env: place,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let mebibytes = 0
  const sampling = setInterval(() => {
    mebibytes = peakMiB(child.pid) ?? mebibytes
  }, SAMPLE_EVERY_MS)
  const [code, complaint] = await Promise.all([child.exited, new Response(child.stderr).text()])
  clearInterval(sampling)
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${complaint}`)
  return { seconds: (performance.now() - startedAt) / 1_000, mebibytes }
}

/** The highest resident memory of a process so far. What the system counts at its end begins with that of its parent. */
function peakMiB(pid: number): number | undefined {
  try {
    const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024
  } catch {
    return undefined
  }
}

function sha256(file: string): string {
  return Bun.SHA256.hash(readFileSync(file), 'hex')
}

async function fill({ folder, orgId }: Workspace): Promise<void> {
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder }), { log })
  const tagsOf = (number: number) => (number % 10 === 0 ? ['vip', `batch-${number % 97}`] : [])
  let isFirst = true
  await createAnsweredTickets(deps, orgId, TICKETS, tagsOf, async ([ticketId = '']) => {
    if (isFirst) await fillThread(deps, orgId, ticketId)
    isFirst = false
  })
  await deps.database.close()
}

async function fillThread(deps: Deps, orgId: string, ticketId: string): Promise<void> {
  for (let number = 0; number < LONG_THREAD; number += 1) {
    await postAgentMessage(deps, orgId, {
      ticketId,
      text: `Message ${number}. `.repeat(50),
      agentName: 'Ben',
    })
  }
  await attach(deps, orgId, ticketId, Buffer.alloc(LARGE_FILE_BYTES, 'Every byte of a large file. '))
  for (let number = 0; number < FILES; number += 1) {
    await attach(deps, orgId, ticketId, Buffer.alloc(FILE_BYTES, `Bytes of file ${number}. `))
  }
}

async function attach(
  deps: Deps,
  orgId: string,
  ticketId: string,
  bytes: Buffer<ArrayBuffer>,
): Promise<void> {
  const uploader = 'key_bench'
  const file = {
    uploader,
    name: 'file.txt',
    body: new Blob([bytes]).stream(),
    announcedBytes: bytes.byteLength,
  }
  const { id } = await receiveUpload(deps, orgId, file)
  const attachments = { uploads: { ids: [id], uploader } }
  await postAgentMessage(deps, orgId, { ticketId, text: 'A file', agentName: 'Ben', attachments })
}
