import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type Client, createClient } from '../../../release/clients/typescript/src/bellhop.ts'
import { ADDRESS } from '../every-channel.ts'
import { temporaryFolder } from '../folder.ts'
import { differences } from '../mirror/differences.ts'
import { readLog } from '../mirror/log-reader.ts'
import { openMirror } from '../mirror/mirror-store.ts'
import { createWriters } from '../mirror/writers.ts'
import { seeded } from '../random.ts'
import type { TestCluster } from './cluster.ts'

const WRITERS = 12
const PAUSE_MS = 100
const RETRY_MS = 100
/** What the readers ask for. */
const FILTERS = [
  { limit: 7, wait: 5 },
  { limit: 100, wait: 5, types: 'ticket.updated,message.updated' },
]
/** Connections of a mailbox that send at the same time. */
const MAILS_IN_FLIGHT = 4
/** Words that customers wrote, of which a server took one twice. */
const DOUBLES = `select text from messages where role = 'customer' and org_id = $1 and text ~ '^word[0-9.]+$'
  group by text having count(*) > 1`

/**
 * Changes everything that `/v1` shows of the first organization, by all its channels, while a mirror and two readers follow
 * the events.
 */
export async function startMirrored(
  { url, database, organizations: [first], channels }: TestCluster,
  seed: number,
) {
  if (!first || !channels) throw new Error('Start the cluster with channels.')
  const { orgId, key, admin } = first
  const { telegram, smtp, dovecot, bot, widget, identitySecret } = channels
  const bellhop = createClient({ url, key, fetch: untilAnswered })
  const writers = createWriters({
    // Doesn't wait for its turn when too many tickets were merged in a minute.
    bellhop: createClient({ url, key, fetch: untilAnswered, maxTries: 1 }),
    url,
    agentId: admin.id,
    widget: { key: widget.key, identitySecret },
    mail: { dovecot, smtp, address: ADDRESS },
    telegram: { server: telegram, bot },
    random: seeded(seed),
  })
  const mirror = startMirror(url, key)
  const readers = await Promise.all(FILTERS.map((filter) => readLog(bellhop, filter)))
  let isOver = false
  const writing = Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (!isOver) {
        await writers.write()
        await Bun.sleep(Math.random() * 2 * PAUSE_MS)
      }
    }),
  )
  // Reported by `stop`.
  writing.catch(() => {})

  return {
    done: writers.done,
    async stop() {
      isOver = true
      await writing
    },
    /**
     * That the mirror and the readers have everything, once, and nothing was received twice. Returns how many mails were sent
     * more than once: a few for each of so many faults.
     */
    async expectEqual(faults: number): Promise<number> {
      await mirror.expectEqual(bellhop)
      for (const reader of readers) {
        const { missed, invented } = await reader.end()
        expect({ missed, invented }).toEqual({ missed: [], invented: [] })
      }
      await using client = new SQL(database(), { max: 1 })
      expect([...(await client.unsafe(DOUBLES, [orgId]))]).toEqual([])
      const mails = Map.groupBy(smtp.messages, ({ raw }) => /^Message-ID: .*$/im.exec(raw.toString())?.[0])
      for (const [mail, ...others] of mails.values()) {
        for (const { raw } of others) expect(raw.equals(mail?.raw ?? raw)).toBe(true)
      }
      const doubles = smtp.messages.length - mails.size
      expect(doubles).toBeLessThanOrEqual(MAILS_IN_FLIGHT * faults)
      return doubles
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      for (const reader of readers) reader.stop()
      await mirror[Symbol.asyncDispose]()
    },
  }
}

export interface Mirror extends AsyncDisposable {
  /** The position of the event that it has copied last. */
  position(): Promise<string | undefined>
  /** That it has everything, as the server shows it, once nothing changes anymore. */
  expectEqual(bellhop: Client): Promise<void>
}

/** A process that mirrors what the organization of a key has. */
export function startMirror(url: string, key: string): Mirror {
  const file = join(temporaryFolder('mirror'), 'mirror.db')
  const rows = openMirror(new Database(file))
  const mirror = Bun.spawn([process.execPath, join(import.meta.dir, '../mirror/mirror.ts'), file], {
    env: { BELLHOP_URL: url, BELLHOP_KEY: key },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return {
    position: rows.position,
    async expectEqual(bellhop) {
      const [missed, count] = await differences({ bellhop, rows })
      expect(missed).toEqual([])
      expect(count).toBeGreaterThan(0)
    },
    async [Symbol.asyncDispose]() {
      mirror.kill('SIGKILL')
      await mirror.exited
    },
  }
}

/** Sends again while no node answers. */
async function untilAnswered(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, init).catch(() => undefined)
    if (init.signal?.aborted) throw init.signal.reason
    if (answer && answer.status < 502) return answer
    await Bun.sleep(RETRY_MS)
  }
}
