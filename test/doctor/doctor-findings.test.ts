import { afterAll, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { recordRun } from '../../server/backup/backup-runs.ts'
import { recordReceiving, recordRefusal } from '../../server/channels/email/mailboxes/mailbox-health.ts'
import { createMailbox, readMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { recordRefused } from '../../server/channels/telegram/bots/bot-health.ts'
import { pauseBot, resumeBot } from '../../server/channels/telegram/bots/bot-state.ts'
import { readBot } from '../../server/channels/telegram/bots/bots.ts'
import { examine } from '../../server/doctor/examine.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { storeBot } from '../support/stored-bot.ts'
import { storedPath, upload } from '../support/uploads.ts'

const DAY_MS = 86_400_000
const FROM = Date.parse('2026-12-01T09:00:00.000Z')

interface Report {
  findings: { check: string; state: string; detail: string; advice: string }[]
}

const disk = mountSmallDisk()
const clock = createManualClock(FROM)
const bellhop = await startBellhop({
  clock,
  settings: {
    BELLHOP_DATA: disk ? join(disk, 'data') : temporaryFolder('doctor-data'),
  },
})
afterAll(() => bellhop.stop())
const { deps } = bellhop
const { orgId } = await bellhop.organization()

/** Asks as an administrator. */
async function findings(check: string) {
  // A session would end while the clock moves.
  const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
  const { status, json, text } = await agent.call<Report>('GET', '/console/doctor')
  expect(status, text).toBe(200)
  return json.findings.filter((one) => one.check === check)
}

test('backups that fail, that are old, or that never were are found', async () => {
  // The server makes none, so that only those of this test count.
  const backup = { kind: 'folder', path: temporaryFolder('doctor-backups') } as const
  const look = async () => {
    const data = { deps, orgIds: [orgId] }
    const config = { ...deps.config, backup }
    const found = await examine({ config, now: clock.now(), isServing: true, widgetTag: undefined, data })
    return found.findings.flatMap((one) => (one.check === 'backup' ? [`${one.state}: ${one.detail}`] : []))
  }
  const ran = async (error: string) => {
    clock.jump(60_000)
    const [startedAt, name] = [clock.now(), error ? '' : 'bellhop.tar.zst']
    await recordRun(deps, { startedAt, endedAt: startedAt, name, bytes: 1, error })
  }
  expect(await look()).toEqual(['warning: No backup has been made yet.'])
  await ran('')
  expect((await look())[0]).toMatch(
    disk
      ? /^ok: The last backup was made less than a minute ago, and was verified\.$/
      : /^warning: The backups are on the same disk as the data/,
  )
  await ran('The bucket refuses.')
  expect(await look()).toEqual(['warning: The last backup failed: The bucket refuses.'])
  await ran('The bucket refuses.')
  expect(await look()).toEqual(['error: The last 2 backups failed: The bucket refuses.'])
  await ran('')
  clock.jump(3 * DAY_MS)
  expect(await look()).toEqual(['error: The last backup is 3 days old.'])
})

test('doctor finds a mailbox and a bot whose sign-in fails, without showing addresses of customers', async () => {
  const { id } = await createMailbox(deps, orgId, newMailbox())
  const mailbox = () => readMailbox(deps, orgId, id)
  const error = 'Rejected by the server: <eva@customer.example> is not known.'
  await recordReceiving(deps, await mailbox(), { error })
  expect((await findings('mailbox')).map((one) => `${one.state}: ${one.detail}`)).toEqual([
    'warning: The mailbox support@acme.example has been failing for less than a minute: Rejected by the server: <(address)> is not known.',
  ])
  clock.jump(2 * 3_600_000)
  expect(await findings('mailbox')).toMatchObject([{ state: 'error' }])
  for (let times = 0; times < 3; times += 1)
    await recordRefusal(deps, await mailbox(), 'imap.acme.example refused the sign-in.')
  expect((await findings('mailbox')).map((one) => `${one.state}: ${one.detail}`)).toEqual([
    'error: The mailbox support@acme.example is stopped, because the sign-in was refused: imap.acme.example refused the sign-in.',
  ])

  const bot = await storeBot(bellhop, orgId)
  expect(await findings('bot')).toMatchObject([{ state: 'ok', detail: '1 bot without problems.' }])
  await resumeBot(deps, orgId, bot)
  await recordRefused(deps, await readBot(deps, orgId, bot))
  expect(await findings('bot')).toMatchObject([{ state: 'error' }])
  await pauseBot(deps, orgId, bot)
})

test('doctor finds files of attachments that are missing, and says how many of how many', async () => {
  const agent = await signInAgent(bellhop, orgId)
  expect(await findings('files')).toMatchObject([{ state: 'ok', detail: 'No attachments yet.' }])
  for (const content of ['one', 'two', 'three']) await upload(agent, `${content}.txt`, content)
  await upload(agent, 'again.txt', 'one')
  expect(await findings('files')).toMatchObject([
    { state: 'ok', detail: 'None is missing of 3 files looked at, for 4 attachments.' },
  ])
  rmSync(storedPath(deps, 'one'))
  expect(await findings('files')).toMatchObject([
    {
      state: 'error',
      detail: '1 is missing of 3 files looked at, for 4 attachments.',
      advice: 'Copy attachments/ from your newest backup into the data folder.',
    },
  ])
})

test('a check that takes too long is stopped, and the others are not', async () => {
  const silent = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) })
  const { findings: found } = await examine({
    config: { ...deps.config, publicUrl: `http://127.0.0.1:${silent.port}` },
    now: clock.now(),
    isServing: true,
    widgetTag: undefined,
    data: { deps, orgIds: [orgId] },
    limits: { check: 3_000 },
  })
  await silent.stop(true)
  const of = (check: string) => found.find((one) => one.check === check)
  expect(of('address')).toMatchObject({ state: 'warning', detail: 'This check takes longer than 3 seconds.' })
  expect(of('folder')?.state).toBe('ok')
  expect(of('backlog')).toBeDefined()
})

test.if(disk !== undefined)('the disk lasts as long as it does at the growth of the last weeks', async () => {
  const customer = { name: 'Eva', email: 'eva@customer.example' }
  await createTicket(deps, orgId, { subject: 'Invoice', customer, message: 'Hello' })
  expect((await findings('disk'))[0]?.detail).toMatch(/ MB are free on the disk of the data folder\.$/)
  clock.jump(10 * DAY_MS)
  await createTicket(deps, orgId, { subject: 'Invoice', customer, message: 'Hello' })
  const detail = (await findings('disk'))[0]?.detail ?? ''
  const days = Number(/enough for (\d+) days at the present growth\.$/.exec(detail)?.[1])
  // Some 0.9 MB in ten days, and 6 to 7 MB are left.
  expect([detail, days > 30 && days < 200]).toEqual([detail, true])
})
