import { expect } from 'bun:test'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import { writeCaFile } from './certificates.ts'
import { freshPlace } from './engine.ts'
import { startDovecot } from './mail/dovecot.ts'
import { reservePort } from './mail/ports.ts'
import { startSmtpFaults } from './mail/smtp-faults.ts'
import { newMailbox } from './mailboxes.ts'
import { startProgram } from './program.ts'
import { startTelegram } from './telegram-server/telegram-server.ts'
import { ORIGIN } from './visitors.ts'

/** Of the mailbox. */
export const ADDRESS = 'support@helpdesk.test'
const PASSWORD = 'correct horse'
/** More than any test sends. */
const UNLIMITED = { burst: 1_000_000, everyMs: 1 }

/** What is on the other side of the channels: a bot API, a mail server and a mailbox. Call `stop` in the end. */
export async function startOtherSides() {
  const telegram = await startTelegram({
    clock: systemClock,
    limits: { perChat: UNLIMITED, perBot: UNLIMITED },
    maxPollMs: 2_000,
  })
  const smtp = await startSmtpFaults({ users: { [ADDRESS]: PASSWORD } })
  const dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
  const bot = telegram.addBot()
  const login = { host: '127.0.0.1', user: ADDRESS, password: PASSWORD, security: 'tls' as const }
  const mailbox = newMailbox({
    address: ADDRESS,
    imap: { ...login, port: dovecot.imapsPort },
    smtp: { ...login, port: smtp.tlsPort },
  })
  return {
    telegram,
    smtp,
    dovecot,
    bot,
    /** Of a server that reaches them. */
    settings: {
      BELLHOP_MAIL_ALLOW: '127.0.0.0/8',
      BELLHOP_MAIL_CA: await writeCaFile(),
      BELLHOP_TELEGRAM_API: telegram.root,
    },
    /** Adds the mailbox and the bot to an administrator's organization. */
    async connect(admin: SignedInAgent) {
      await createAs(admin, '/console/mailboxes', mailbox)
      await createAs(admin, '/console/bots', { token: bot.token })
    },
    stop: () => Promise.all([smtp.stop(), dovecot.stop(), telegram.close()]),
  }
}

/** What only an administrator creates. */
export async function createAs(admin: SignedInAgent, path: string, body: object): Promise<void> {
  const { status, text } = await admin.call('POST', path, { body })
  expect(status, text).toBe(201)
}

/**
 * A program with a mailbox, a bot and a widget, and what is on their other side. `settings` are more of its settings.
 * `fill` runs before it starts. The caller ends the program, and then calls `stop`.
 */
export async function startEveryChannel<Filled>({
  settings = {},
  fill,
}: {
  settings?: Record<string, string>
  fill: (deps: Deps, at: { orgId: string; url: string }) => Promise<Filled>
}) {
  const { settings: toReach, connect, ...others } = await startOtherSides()
  const port = reservePort()
  const url = `http://127.0.0.1:${port}`
  const place = {
    ...(await freshPlace()),
    PORT: String(port),
    BELLHOP_LOG: 'error',
    BELLHOP_TRUST_PROXY: '127.0.0.0/8',
    ...toReach,
    ...settings,
  }
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const filled = await fill(deps, { orgId, url })
  const admin = await signInAgent({ deps, url }, orgId, { role: 'admin' })
  const { widget, identitySecret } = await createWidget(deps, orgId, { name: 'Shop', origins: [ORIGIN] })
  const { engine } = deps.database
  await deps.database.close()
  const program = await startProgram(place)
  await connect(admin)
  return {
    ...others,
    url,
    place,
    engine,
    admin,
    filled,
    widget,
    identitySecret,
    program,
    create: (path: string, body: object) => createAs(admin, path, body),
  }
}
