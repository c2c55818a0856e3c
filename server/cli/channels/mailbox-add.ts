import { type Command, InvalidArgumentError } from 'commander'
import { createMailbox } from '../../channels/email/mailboxes/mailboxes.ts'
import { viewMailbox } from '../../channels/email/mailboxes/views.ts'
import type { MailServer } from '../../database/tables/mailboxes.ts'
import { addOfOrg } from '../commands.ts'
import { collect, pastTime, requireSecret } from '../option-values.ts'
import { print, printJson } from '../output.ts'

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

/** Ports that servers listen on (RFC 8314, RFC 3501, RFC 6409). */
const DEFAULT_PORTS = { imaps: 993, imap: 143, smtps: 465, smtp: 587 } as const

export function addMailboxAdd(mailbox: Command): void {
  addOfOrg(mailbox, 'add', {
    description: 'connect a mailbox and print its id',
    run: async (deps, orgId, { folder, since, name, address, ...given }: AddOptions) => {
      const password = requireSecret(given.passwordFile, 'password')
      const other = given.smtpPasswordFile && requireSecret(given.smtpPasswordFile, 'password')
      const made = await createMailbox(deps, orgId, {
        name,
        address,
        imap: { ...given.imap, user: given.imap.user || address, password },
        smtp: { ...given.smtp, ...(other !== undefined && { password: other }) },
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
