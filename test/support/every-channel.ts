import { expect } from 'bun:test'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { signInAgent } from './agents.ts'
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
  const telegram = await startTelegram({
    clock: systemClock,
    limits: { perChat: UNLIMITED, perBot: UNLIMITED },
    maxPollMs: 2_000,
  })
  const smtp = await startSmtpFaults({ users: { [ADDRESS]: PASSWORD } })
  const dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
  const port = reservePort()
  const url = `http://127.0.0.1:${port}`
  const place = {
    ...(await freshPlace()),
    PORT: String(port),
    BELLHOP_LOG: 'error',
    BELLHOP_TRUST_PROXY: '127.0.0.0/8',
    BELLHOP_MAIL_ALLOW: '127.0.0.0/8',
    BELLHOP_MAIL_CA: await writeCaFile(),
    BELLHOP_TELEGRAM_API: telegram.root,
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

  const login = { host: '127.0.0.1', user: ADDRESS, password: PASSWORD, security: 'tls' as const }
  const mailbox = newMailbox({
    address: ADDRESS,
    imap: { ...login, port: dovecot.imapsPort },
    smtp: { ...login, port: smtp.tlsPort },
  })
  const bot = telegram.addBot()
  await create('/console/mailboxes', mailbox)
  await create('/console/bots', { token: bot.token })

  /** What only an administrator creates. */
  async function create(path: string, body: object): Promise<void> {
    const { status, text } = await admin.call('POST', path, { body })
    expect(status, text).toBe(201)
  }

  return {
    url,
    place,
    engine,
    admin,
    filled,
    widget,
    identitySecret,
    telegram,
    bot,
    smtp,
    dovecot,
    program,
    create,
    stop: () => Promise.all([smtp.stop(), dovecot.stop(), telegram.close()]),
  }
}
