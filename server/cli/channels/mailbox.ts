import { type Command, InvalidArgumentError } from 'commander'
import { createMailDialer } from '../../channels/email/mail-account.ts'
import { countMails } from '../../channels/email/mailboxes/mailbox-health.ts'
import { pauseMailbox, removeMailbox, resumeMailbox } from '../../channels/email/mailboxes/mailbox-state.ts'
import {
  createMailbox,
  listMailboxes,
  readMailbox,
  updateMailbox,
} from '../../channels/email/mailboxes/mailboxes.ts'
import { suggestAliases } from '../../channels/email/mailboxes/suggest-aliases.ts'
import { testStoredMailbox } from '../../channels/email/mailboxes/test-connection.ts'
import { viewLedger, viewMailbox, viewMailboxes } from '../../channels/email/mailboxes/views.ts'
import { addressKey } from '../../customers/email-addresses.ts'
import type { MailServer } from '../../database/tables/mailboxes.ts'
import { AppError } from '../../errors.ts'
import { addListAndShow, addOfOrg, addOnOne, addStateCommands } from '../commands.ts'
import { collect, pastTime, requireSecret } from '../option-values.ts'
import { formatTime, print, printFacts, printJson, printTable } from '../output.ts'
import { withOwner } from '../with-deps.ts'

/** Ports that servers listen on (RFC 8314, RFC 3501, RFC 6409). */
const DEFAULT_PORTS = { imaps: 993, imap: 143, smtps: 465, smtp: 587 } as const

export function addMailbox(program: Command): void {
  const mailbox = program.command('mailbox').description('connect and manage mailboxes')
  addAdd(mailbox)
  addListAndShow(mailbox, {
    what: 'mailbox',
    list: listMailboxes,
    read: readMailbox,
    viewAll: viewMailboxes,
    described: {
      list: 'list the mailboxes of an organization with their state, oldest first',
      show: 'show the settings and the health of a mailbox',
    },
    columns: {
      ID: ({ id }) => id,
      ADDRESS: ({ address }) => address,
      NAME: ({ name, isDefault }) => (isDefault ? `${name} (default)` : name),
      STATE: ({ state }) => state,
      'LAST MAIL IN': ({ health }) => formatTime(health.lastReceivedAt),
      'LAST MAIL OUT': ({ health }) => formatTime(health.lastSentAt),
      DETAIL: ({ detail }) => detail,
    },
    whenEmpty: 'No mailboxes yet. Connect one with: bellhop mailbox add',
    facts: ({ health, ...one }) => ({
      id: one.id,
      address: one.address,
      aliases: one.aliases.join(', ') || '-',
      name: one.name,
      state: `${one.state}: ${one.detail}`,
      imap: serverText(one.imap),
      smtp: serverText(one.smtp),
      'signs in with': one.signIn,
      folders: one.folders.join(', '),
      'last mail in': formatTime(health.lastReceivedAt),
      'last mail out': formatTime(health.lastSentAt),
      'last checked': formatTime(health.lastCheckedAt),
      'failing since': formatTime(health.failingSince),
    }),
  })
  addAliases(mailbox)
  addTest(mailbox)
  addStateCommands(mailbox, 'mailbox', {
    pause: { description: 'stop fetching and sending mail until the mailbox is resumed', run: pauseMailbox },
    resume: { description: 'fetch and send mail again', run: resumeMailbox },
    remove: { description: 'remove a mailbox and its passwords; its tickets stay', run: removeMailbox },
  })
  addOnOne(mailbox, 'ledger', {
    what: 'mailbox',
    description: 'compare the number of emails on the server with the number processed',
    run: async (deps, orgId, id) =>
      viewLedger(await readMailbox(deps, orgId, id), await countMails(deps, orgId, id)),
    print: ({ onServer, ...counts }) =>
      printFacts({
        'on the server': onServer === null ? '-' : String(onServer),
        ...Object.fromEntries(Object.entries(counts).map(([name, mails]) => [name, String(mails)])),
      }),
  }).option('--json', 'print JSON')
}

interface AddOptions {
  address: string
  name: string
  imap: MailServer
  smtp: MailServer
  passwordFile: string
  smtpPasswordFile?: string
  folder?: string[]
  since?: number
  json?: true
}

function addAdd(mailbox: Command): void {
  addOfOrg(mailbox, 'add', {
    description: 'connect a mailbox and print its id',
    run: async (deps, orgId, { folder, since, name, address, ...entry }: AddOptions) => {
      const password = requireSecret(entry.passwordFile, 'password')
      const other = entry.smtpPasswordFile && requireSecret(entry.smtpPasswordFile, 'password')
      const made = await createMailbox(deps, orgId, {
        name,
        address,
        imap: { ...entry.imap, user: entry.imap.user || address, password },
        smtp: { ...entry.smtp, ...(other !== undefined && { password: other }) },
        ...(folder && { folders: folder }),
        importSince: since ?? null,
      })
      return viewMailbox(made)
    },
    print: (made, { json }) => (json ? printJson(made) : print(made.id)),
  })
    .requiredOption('--address <address>', 'email address of the mailbox')
    .requiredOption('--name <name>', 'the name that customers see')
    .requiredOption(
      '--imap <url>',
      'imaps://user@host:port, or imap:// for STARTTLS; write @ in the user as %40',
      serverOf('imap'),
    )
    .requiredOption(
      '--smtp <url>',
      'smtps://user@host:port, or smtp:// for STARTTLS; without a user, it does not sign in',
      serverOf('smtp'),
    )
    .requiredOption('--password-file <file>', 'file with the password; - reads standard input')
    .option('--smtp-password-file <file>', 'file with the SMTP password, if it is a different one')
    .option('--folder <name>', 'folder to read (INBOX); repeat it for several', collect)
    .option(
      '--since <time>',
      'also import mail since a date like 2026-03-01, or a duration like 7d',
      pastTime,
    )
    .option('--json', 'print JSON')
}

/** Parses `imaps://user@host:port`. The part before `://` decides how TLS starts. */
function serverOf(protocol: 'imap' | 'smtp'): (value: string) => MailServer {
  const schemes = [`${protocol}s`, protocol] as const
  const valid = `It must be a URL such as ${protocol}s://user@mail.example.com:${DEFAULT_PORTS[`${protocol}s`]}.`
  return (value) => {
    const url = URL.parse(value)
    const scheme = schemes.find((one) => `${one}:` === url?.protocol)
    if (!url || !scheme || !url.hostname || url.search || url.hash || !/^\/?$/.test(url.pathname)) {
      throw new InvalidArgumentError(valid)
    }
    if (url.password) {
      throw new InvalidArgumentError(
        'Other users of this machine could see the password in it. Use --password-file.',
      )
    }
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port),
      security: scheme === protocol ? 'starttls' : 'tls',
      user: decoded(url.username),
    }
  }
}

function decoded(user: string): string {
  try {
    return decodeURIComponent(user)
  } catch {
    throw new InvalidArgumentError('The user contains a % that is not followed by two hexadecimal digits.')
  }
}

interface AliasOptions {
  add?: string[]
  remove?: string[]
}

function addAliases(mailbox: Command): void {
  addOnOne(mailbox, 'aliases', {
    what: 'mailbox',
    description: 'list, add, and remove other addresses whose mail arrives in a mailbox',
    run: async (deps, orgId, id, { add = [], remove = [] }: AliasOptions) => {
      const { aliases: before } = await readMailbox(deps, orgId, id)
      const removed = new Set(remove.map(addressKey))
      const missing = remove.find((one) => !before.some((alias) => addressKey(alias) === addressKey(one)))
      if (missing !== undefined)
        throw new AppError(404, 'not_found', `${missing} isn't an alias of this mailbox.`)
      const aliases = [...before.filter((alias) => !removed.has(addressKey(alias))), ...add]
      const isChanged = add.length + remove.length > 0
      const after = isChanged ? await updateMailbox(deps, orgId, { id, change: { aliases } }) : undefined
      return { aliases: after?.aliases ?? before, suggested: await suggestAliases(deps, orgId, id) }
    },
    print: ({ aliases, suggested }) =>
      printTable(
        ['ADDRESS', 'STATE', 'RECENT EMAILS'],
        [
          ...aliases.map((address) => [address, 'alias', '-']),
          ...suggested.map(({ address, mails }) => [address, 'suggested', String(mails)]),
        ],
        'No aliases. Add one with: --add <address>',
      ),
  })
    .option('--add <address>', 'add an alias; repeat it for several', collect)
    .option('--remove <address>', 'remove an alias; repeat it for several', collect)
    .option('--json', 'print JSON')
}

function serverText({
  host,
  port,
  security,
  user,
}: {
  host: string
  port: number
  security: string
  user: string
}) {
  const by = security === 'tls' ? 'TLS' : 'STARTTLS'
  return `${host}:${port} with ${by}${user === '' ? '' : ` as ${user}`}`
}

function addTest(mailbox: Command): void {
  mailbox
    .command('test <id>')
    .description('sign in to both servers, and send a message to the mailbox itself; takes up to a minute')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const { isOk, steps } = await withOwner('mailbox', { named: id }, async (deps, orgId) => {
        const mail = { clock: deps.clock, dialer: createMailDialer(deps) }
        return testStoredMailbox(deps, mail, { orgId, id, change: {} }, new AbortController().signal)
      })
      if (json) printJson({ isOk, steps })
      else {
        const rows = steps.map(({ side, step, state, detail = '' }) => [side, step, state, detail])
        printTable(['SERVER', 'STEP', 'STATE', 'DETAIL'], rows, '')
      }
      const failed = steps.find(({ state }) => state === 'failed')
      if (failed)
        throw new AppError(
          409,
          'mailbox_test_failed',
          [failed.detail, failed.advice].filter(Boolean).join(' '),
        )
    })
}
