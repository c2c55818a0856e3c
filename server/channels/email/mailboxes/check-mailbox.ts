import type { Config } from '../../../config.ts'
import { addressKey, isSendable } from '../../../customers/email-addresses.ts'
import type { MailboxSignIn, MailServer } from '../../../database/tables/mailboxes.ts'
import { type Fault, invalid } from '../../../errors.ts'
import { MAX_NAME_LENGTH } from '../../../organizations/organizations.ts'
import { isBlank } from '../../../text/text.ts'
import { refusalOfMailHost } from '../mail-account.ts'

const MAX_PORT = 65_535
const MAX_USER_LENGTH = 320
const MAX_PASSWORD_LENGTH = 1_000
const MAX_FOLDERS = 20
const MAX_FOLDER_LENGTH = 255
const MAX_ALIASES = 100
const MAX_TEXT_LENGTH = 10_000
const CONTROL = /\p{Cc}/u

export interface ServerInput extends MailServer {
  /** For SMTP, the IMAP password is used if this is absent. */
  password?: string | undefined
}

/** A mailbox as an administrator enters it. */
export interface MailboxInput {
  name: string
  address: string
  /** Other addresses whose mail arrives here. */
  aliases: string[]
  signIn: MailboxSignIn
  imap: ServerInput
  smtp: ServerInput
  folders: string[]
  sentFolder: string
  /** Markdown. */
  signature: string
  /** Agent id, or empty. */
  defaultAssignee: string
  /** Markdown. */
  autoReply: string
  /** The name of its server in `Authentication-Results`, or empty. */
  authservId: string
  /** Null means not tested. */
  hasSubaddresses: boolean | null
  hasSubjectTokens: boolean
}

/** Trims what a person typed and throws 400 with every fault. Passwords are checked only if they are given. */
export function checkMailbox(config: Config, input: MailboxInput): MailboxInput {
  const checked = {
    ...input,
    name: input.name.trim(),
    address: input.address.trim(),
    aliases: aliasesOf(input),
    imap: trimmed(input.imap),
    smtp: trimmed(input.smtp),
    folders: unique(input.folders.map(folderName)),
    sentFolder: folderName(input.sentFolder),
    signature: input.signature.trimEnd(),
    autoReply: input.autoReply.trimEnd(),
    authservId: input.authservId.trim().toLowerCase(),
  }
  const faults = faultsOf(config, checked)
  if (faults.length > 0) throw invalid(faults)
  return checked
}

function trimmed(server: ServerInput): ServerInput {
  return { ...server, host: server.host.trim(), user: server.user.trim() }
}

/** The name of the inbox is the only one in which case makes no difference (RFC 9051, section 5.1). */
function folderName(name: string): string {
  const given = name.trim()
  return given.toUpperCase() === 'INBOX' ? 'INBOX' : given
}

/** Each once, without the mailbox's own address. */
function aliasesOf({ address, aliases }: MailboxInput): string[] {
  const byKey = new Map(aliases.map((alias) => [addressKey(alias), alias.trim()]))
  byKey.delete(addressKey(address))
  return [...byKey.values()]
}

function unique(names: string[]): string[] {
  return [...new Set(names)]
}

function faultsOf(config: Config, input: MailboxInput): Fault[] {
  const { name, address, aliases, folders, sentFolder, authservId } = input
  const faults: Fault[] = []
  const add = (pointer: string, fault: Fault) => faults.push({ pointer, ...fault })
  if (isBlank(name) || name.length > MAX_NAME_LENGTH || CONTROL.test(name)) {
    add('/name', { code: 'invalid_name', detail: `Must be 1 to ${MAX_NAME_LENGTH} characters in one line.` })
  }
  if (!isSendable(address)) add('/address', { code: 'invalid_format', detail: 'Must be an email address.' })
  if (aliases.length > MAX_ALIASES) {
    add('/aliases', { code: 'too_many', detail: `A mailbox can have at most ${MAX_ALIASES} aliases.` })
  }
  aliases.forEach((alias, at) => {
    if (isSendable(alias)) return
    const detail = `"${alias.slice(0, 80)}" is not an email address.`
    add(`/aliases/${at}`, { code: 'invalid_format', detail })
  })
  for (const side of ['imap', 'smtp'] as const) faults.push(...serverFaults(config, side, input))
  if (folders.length === 0 || folders.length > MAX_FOLDERS) {
    add('/folders', { code: 'invalid_folders', detail: `Choose 1 to ${MAX_FOLDERS} folders.` })
  }
  folders.forEach((folder, at) => {
    if (folder === '' || !isFolder(folder))
      add(`/folders/${at}`, { code: 'invalid_folder', detail: FOLDER_DETAIL })
  })
  if (!isFolder(sentFolder)) add('/sentFolder', { code: 'invalid_folder', detail: FOLDER_DETAIL })
  for (const field of ['signature', 'autoReply'] as const) {
    if (input[field].length <= MAX_TEXT_LENGTH) continue
    add(`/${field}`, { code: 'too_long', detail: `Must be at most ${MAX_TEXT_LENGTH} characters.` })
  }
  if (!/^[!#-:<-~]{0,255}$/.test(authservId)) {
    add('/authservId', { code: 'invalid_format', detail: 'Must be a name such as mx.example.com.' })
  }
  return faults
}

const FOLDER_DETAIL = `Must be the name of a folder, at most ${MAX_FOLDER_LENGTH} characters.`

function isFolder(name: string): boolean {
  return name.length <= MAX_FOLDER_LENGTH && !CONTROL.test(name)
}

function serverFaults(config: Config, side: 'imap' | 'smtp', { signIn, ...input }: MailboxInput): Fault[] {
  const { host, port, user, password } = input[side]
  const faults: Fault[] = []
  const add = (field: string, fault: Fault) => faults.push({ pointer: `/${side}/${field}`, ...fault })
  const refusal = refusalOfMailHost(config, host)
  if (refusal) add('host', refusal)
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) {
    add('port', { code: 'invalid_port', detail: `Must be a whole number from 1 to ${MAX_PORT}.` })
  }
  // Only a mail server in one's own network takes messages without a sign-in.
  const needsUser = side === 'imap' || signIn !== 'password'
  if ((needsUser && user === '') || user.length > MAX_USER_LENGTH || CONTROL.test(user)) {
    add('user', { code: 'invalid_user', detail: `Must be 1 to ${MAX_USER_LENGTH} characters.` })
  }
  if (password !== undefined && !isPassword(password)) {
    add('password', {
      code: 'invalid_password',
      detail: `Must be 1 to ${MAX_PASSWORD_LENGTH} characters in one line.`,
    })
  }
  return faults
}

function isPassword(password: string): boolean {
  return password !== '' && password.length <= MAX_PASSWORD_LENGTH && !CONTROL.test(password)
}
