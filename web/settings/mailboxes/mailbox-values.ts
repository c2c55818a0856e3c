import { ApiProblem } from '../../api/api-problem.ts'
import type { Mailbox, MailProvider, SignIn } from './mailbox-data.ts'

type Server = Mailbox['imap']
type Security = Server['security']

/** How the SMTP server is signed in to: as the IMAP server is, with a user and password of its own, or not at all. */
export type SmtpSignIn = 'same' | 'own' | 'none'

/** The fields of the form, as typed. A type, because an interface could have more fields than strings. */
export type MailboxValues = {
  name: string
  address: string
  signIn: SignIn
  /** Empty to keep the stored one. */
  password: string
  /** If empty, the address is used. */
  user: string
  imapHost: string
  imapPort: string
  imapSecurity: Security
  smtpHost: string
  smtpPort: string
  smtpSecurity: Security
  smtpSignIn: SmtpSignIn
  smtpUser: string
  smtpPassword: string
  folders: readonly string[]
  /** `2026-03-01`, only for a new mailbox. Empty: mail from now on. */
  importSince: string
  sentFolder: string
  /** Agent id; empty for none. */
  defaultAssignee: string
  signature: string
  autoReply: string
  authservId: string
  hasSubjectTokens: boolean
}

export function newMailboxValues(name: string): MailboxValues {
  return {
    name,
    address: '',
    signIn: 'password',
    password: '',
    user: '',
    imapHost: '',
    imapPort: '993',
    imapSecurity: 'tls',
    smtpHost: '',
    smtpPort: '465',
    smtpSecurity: 'tls',
    smtpSignIn: 'same',
    smtpUser: '',
    smtpPassword: '',
    folders: ['INBOX'],
    importSince: '',
    sentFolder: '',
    defaultAssignee: '',
    signature: '',
    autoReply: '',
    authservId: '',
    hasSubjectTokens: false,
  }
}

export function valuesOf(mailbox: Mailbox): MailboxValues {
  const { imap, smtp, address } = mailbox
  const smtpSignIn = smtpSignInOf(mailbox)
  return {
    name: mailbox.name,
    address,
    signIn: mailbox.signIn,
    password: '',
    user: imap.user,
    ...serverValues(mailbox),
    smtpSignIn,
    smtpUser: smtpSignIn === 'own' ? smtp.user : '',
    smtpPassword: '',
    folders: [...mailbox.folders],
    importSince: '',
    sentFolder: mailbox.sentFolder,
    defaultAssignee: mailbox.defaultAssignee ?? '',
    signature: mailbox.signature,
    autoReply: mailbox.autoReply,
    authservId: mailbox.authservId,
    hasSubjectTokens: mailbox.hasSubjectTokens,
  }
}

function smtpSignInOf({ imap, smtp, signIn, hasSmtpPassword }: Mailbox): SmtpSignIn {
  if (signIn !== 'password') return 'same'
  if (smtp.user === '') return 'none'
  return hasSmtpPassword || smtp.user !== imap.user ? 'own' : 'same'
}

/** The servers of a mailbox or a provider as fields. */
export function serverValues({ imap, smtp }: Pick<MailProvider, 'imap' | 'smtp'>) {
  return {
    imapHost: imap.host,
    imapPort: String(imap.port),
    imapSecurity: imap.security,
    smtpHost: smtp.host,
    smtpPort: String(smtp.port),
    smtpSecurity: smtp.security,
  }
}

/** Whether the servers are those of a provider, with their ports and encryption. */
export function hasServersOf(values: MailboxValues, provider: Pick<MailProvider, 'imap' | 'smtp'>): boolean {
  return JSON.stringify(serversOf(values)) === JSON.stringify(serverValues(provider))
}

function serversOf(values: MailboxValues) {
  const { imapHost, imapPort, imapSecurity, smtpHost, smtpPort, smtpSecurity } = values
  return { imapHost, imapPort, imapSecurity, smtpHost, smtpPort, smtpSecurity }
}

/** The fields as the API takes them, for a new mailbox and for a change. */
export function inputOf(values: MailboxValues) {
  const { name, address, signIn, folders, sentFolder, defaultAssignee, signature, autoReply } = values
  return {
    name,
    address: address.trim(),
    signIn,
    imap: imapOf(values),
    smtp: smtpOf(values),
    folders: [...folders],
    sentFolder,
    defaultAssignee: defaultAssignee || null,
    signature,
    autoReply,
    authservId: values.authservId,
    hasSubjectTokens: values.hasSubjectTokens,
  }
}

/** Midnight in the time zone of this browser. */
export function importSinceOf({ importSince }: MailboxValues): string | null {
  const time = new Date(`${importSince}T00:00`)
  return importSince === '' || Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** The servers and the address: the result of a test holds only for these. */
export function placeOf({ address, imapHost, smtpHost, user, smtpUser }: MailboxValues): string {
  return JSON.stringify([address, imapHost, smtpHost, user, smtpUser])
}

function imapOf(values: MailboxValues) {
  return {
    host: values.imapHost,
    port: portOf(values.imapPort),
    security: values.imapSecurity,
    user: userOf(values),
    ...(values.signIn === 'password' && values.password && { password: values.password }),
  }
}

function smtpOf(values: MailboxValues) {
  const { smtpSignIn, smtpUser, smtpPassword } = values
  const isOwn = values.signIn === 'password' && smtpSignIn === 'own'
  const isNone = values.signIn === 'password' && smtpSignIn === 'none'
  return {
    host: values.smtpHost,
    port: portOf(values.smtpPort),
    security: values.smtpSecurity,
    user: isNone ? '' : isOwn ? smtpUser.trim() || userOf(values) : userOf(values),
    ...(isOwn && smtpPassword && { password: smtpPassword }),
  }
}

function userOf({ user, address }: MailboxValues): string {
  return user.trim() || address.trim()
}

/** The API refuses 0 with a sentence at the field. */
function portOf(text: string): number {
  const port = Number(text)
  return Number.isInteger(port) ? port : 0
}

/** A taken address is a conflict without a pointer. It belongs to its field too. */
export function withAddressFault(error: unknown): unknown {
  if (!(error instanceof ApiProblem) || error.code !== 'mailbox_exists') return error
  const fault = { pointer: '/address', code: error.code, detail: error.detail }
  return new ApiProblem(error.status, error.code, error.detail, [fault])
}
