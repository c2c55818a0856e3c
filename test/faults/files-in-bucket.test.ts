import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compareFiles } from '../../server/attachments/check-files.ts'
import { mails } from '../../server/database/tables/mailboxes.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { freshPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startCutProxy } from '../support/mail/cut-proxy.ts'
import { openOutgoing, sendsOf } from '../support/mail/outgoing.ts'
import { startS3 } from '../support/s3-server.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

// Files in a bucket that several processes use, and that can be out of reach.

const TIMES_EACH = 5_000
const LONG_TEST_MS = 600_000
const HOUR_MS = 3_600_000
/** In the data folder. */
const CACHE = 'files-cache'
const WORKER = join(import.meta.dir, '../support/store-files.ts')

const s3 = await startS3()
afterAll(() => s3?.[Symbol.asyncDispose]())

/** What a process says. */
async function linesOf(stdout: ReadableStream<Uint8Array>, onLine: () => void = () => {}): Promise<string[]> {
  let said = ''
  for await (const chunk of stdout) {
    said += Buffer.from(chunk).toString()
    onLine()
  }
  return said.split('\n').slice(0, -1)
}

describe.if(s3 !== undefined)('files in a bucket', () => {
  test(
    'are there while a row refers to them, while two processes store and delete the same ones, and one is killed',
    async () => {
      const settings = {
        ...(await freshPlace()),
        ...s3?.filesSettings(),
        BELLHOP_SECRET: 'of both processes',
      }
      const bellhop = await startBellhop({ settings })
      const { orgId } = await bellhop.organization()
      const start = (times: number) => {
        // SQLite is one file. On PostgreSQL, each has a folder of its own, as on another machine.
        const place = 'DATABASE_URL' in settings ? { BELLHOP_DATA: temporaryFolder('data') } : {}
        const child = Bun.spawn([process.execPath, WORKER, orgId, String(times)], {
          env: { ...settings, ...place },
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        void child.stdin.end()
        return child
      }
      const [first, second] = [start(TIMES_EACH), start(TIMES_EACH)]
      const [ofFirst, ofSecond] = await Promise.all([linesOf(first.stdout), linesOf(second.stdout)])
      for (const said of [ofFirst, ofSecond]) {
        expect(said).toHaveLength(TIMES_EACH)
        expect(said.filter((line) => line !== 'ok')).toEqual([])
      }
      expect(await s3?.hashes(settings)).toEqual([])

      const killed = start(TIMES_EACH)
      const heard = await linesOf(killed.stdout, () => killed.kill('SIGKILL'))
      expect(heard.filter((line) => line !== 'ok')).toEqual([])
      expect((await compareFiles(bellhop.deps)).missing).toEqual([])
      await bellhop.stop()
    },
    LONG_TEST_MS,
  )

  test('that can’t be reached make emails wait, until they are sent and received', async () => {
    const proxy = await startCutProxy({ port: Number(new URL(s3?.url ?? '').port) })
    const clock = createManualClock()
    const given = { clock, settings: s3?.filesSettings(proxy.port) ?? {}, isConnected: false }
    await using outgoing = await openOutgoing(given)
    const { bellhop, acme, ben, smtp } = outgoing
    const { deps } = bellhop
    const mailboxId = await outgoing.mailbox()
    const uploaded = await upload(ben, 'invoice.pdf', 'An invoice')
    const raw =
      'From: Eve <eve@example.com>\r\nSubject: Hi\r\nMessage-ID: <1@example.com>\r\n\r\nIs it here?\r\n'
    using kept = await deps.files.put(Buffer.from(raw))
    const ticketId = await outgoing.ticket()

    proxy.cut({ of: 'client', afterBytes: 0, does: 'cut', times: Number.POSITIVE_INFINITY })
    proxy.cutAll()
    for (const name of readdirSync(join(deps.config.dataFolder, CACHE))) {
      if (name !== 'incoming') rmSync(join(deps.config.dataFolder, CACHE, name), { recursive: true })
    }
    const sendAt = new Date(clock.now() + 10_000).toISOString()
    const replyId = await outgoing.put(ticketId, { text: 'Hello', attachments: [uploaded.id], sendAt })
    const mail = {
      id: deps.newId('eml'),
      orgId: acme.orgId,
      mailboxId,
      folder: 'INBOX',
      uidValidity: '1',
      uid: 1,
    }
    const times = { receivedAt: clock.now(), createdAt: clock.now() }
    await deps.database.write(undefined, async (tx) => {
      await tx
        .insert(mails)
        .values({ ...mail, ...times, hash: kept.hash, size: raw.length, outcome: 'pending' })
    })
    clock.advance(10_000)
    const storedMail = async () => (await deps.database.read.select().from(mails))[0]
    await eventually(async () => {
      const [send] = await sendsOf(outgoing, replyId)
      return send?.error === 'The server’s file storage can’t be reached.'
    })
    await eventually(() => bellhop.logLines.some((line) => line.includes('mails_not_processed')))
    // Longer than an email is tried to be sent otherwise.
    for (let hours = 0; hours < 30; hours += 1) clock.advance(HOUR_MS)
    await eventually(async () => (await sendsOf(outgoing, replyId))[0]?.state === 'waiting')
    expect(await storedMail()).toMatchObject({ outcome: 'pending', attempts: 0 })
    expect(smtp.messages).toEqual([])

    proxy.heal()
    using _ = letRun(clock)
    clock.advance(60_000)
    await outgoing.until(ticketId, replyId, 'sent')
    expect(smtp.messages).toHaveLength(1)
    await eventually(async () => (await storedMail())?.outcome === 'message')
    await proxy.stop()
  })
})
