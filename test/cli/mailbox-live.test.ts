import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshPlace } from '../support/engine.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { type Place, type RunningServer, runProgram, startProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

const ADDRESS = 'support@helpdesk.test'
const PASSWORD = 'a secret with spaces'

describeWithMail('a mailbox of a running server', () => {
  let dovecot: Dovecot
  let place: Place
  let server: RunningServer

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
    place = { ...(await freshPlace()), ...(await mailSettings()) }
    server = await startProgram(place)
    await bellhop('setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com')
  })
  afterAll(async () => {
    await server.end('SIGTERM')
    await dovecot.stop()
  })

  async function bellhop(...args: string[]): Promise<string> {
    const { code, out, err } = await runProgram(place, args)
    if (args[0] !== 'setup') expect(err).toBe('')
    expect(code).toBe(0)
    return out.trim()
  }

  function deliver(subject: string): void {
    const headers = ['From: cy@customer.test', `To: ${ADDRESS}`, `Message-ID: <${subject}@customer.test>`]
    dovecot.deliver(ADDRESS, [...headers, `Subject: ${subject}`, '', 'Hello'].join('\r\n'))
  }

  test('is connected, paused, resumed and removed by commands, and its ledger counts every mail', async () => {
    const passwordFile = join(place.BELLHOP_DATA ?? '', 'password')
    writeFileSync(passwordFile, PASSWORD)
    const login = encodeURIComponent(ADDRESS)
    const id = await bellhop(
      ...['mailbox', 'add', '--org', 'Acme', '--address', ADDRESS, '--name', 'Support'],
      ...['--imap', `imap://${login}@127.0.0.1:${dovecot.imapPort}`],
      ...['--smtp', `smtps://${login}@127.0.0.1:1`, '--password-file', passwordFile],
    )
    const stateOf = async () => JSON.parse(await bellhop('mailbox', 'show', id, '--json')).state
    const ledger = async () => JSON.parse(await bellhop('mailbox', 'ledger', id, '--json'))
    const hasMessages = (messages: number) =>
      eventually(async () => {
        const counts = await ledger()
        return counts.messages === messages && counts.unaccounted === 0 && counts
      })
    await eventually(async () => (await stateOf()) === 'active')
    deliver('first')
    expect(await hasMessages(1)).toMatchObject({ fetched: 1, quarantined: 0, duplicates: 0 })
    await eventually(async () => (await ledger()).onServer === 1)

    expect(await isDisconnected()).toBe(false)
    await bellhop('mailbox', 'pause', id)
    await eventually(isDisconnected)
    deliver('while paused')
    expect(await ledger()).toMatchObject({ fetched: 1 })
    await bellhop('mailbox', 'resume', id)
    await hasMessages(2)

    await bellhop('mailbox', 'remove', id)
    await eventually(isDisconnected)
    expect(JSON.parse(await bellhop('mailbox', 'list', '--org', 'Acme', '--json'))).toEqual([])
  })

  /** Whether the server has closed all its connections, by the words of Dovecot's log. */
  async function isDisconnected(): Promise<boolean> {
    const log = dovecot.log()
    const count = (words: RegExp) => log.match(words)?.length ?? 0
    return (
      count(/imap-login: Info: Login: /g) <=
      count(/imap\(.*?Info: (?:Connection closed|Disconnected|Logged out)/g)
    )
  }
})
