import { addressKey, asciiDomain } from '../../../customers/email-addresses.ts'
import type { MailboxSignIn, mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { changedFields, pickFields } from '../../accounts/accounts.ts'
import { HEALTHY } from '../../accounts/receiving-health.ts'
import { checkMailbox, type MailboxInput, type ServerInput } from './check-mailbox.ts'
import { PROVIDER_SERVERS } from './mail-providers.ts'
import { isElsewhere, passwordColumns, requirePasswords } from './mailbox-secrets.ts'

/** A row of `mailboxes`. Its secrets are encrypted, and views leave them out. */
export type Mailbox = typeof mailboxes.$inferSelect

/** The servers of a Google or Microsoft mailbox are known. */
export type NewMailbox = Pick<MailboxInput, 'name' | 'address'> &
  Partial<MailboxInput> & {
    /** Mail from before this time isn't imported. Null: only mail that arrives after connecting. */
    importSince?: number | null
    isDefault?: boolean
  }

export type MailboxChange = Partial<MailboxInput>

/** The row of a new mailbox. Throws 400 with every fault. */
export function newRow(deps: Deps, orgId: string, input: NewMailbox): Mailbox {
  const checked = checkMailbox(deps.config, withDefaults(input))
  requirePasswords(checked)
  const id = deps.newId('mbx')
  const now = deps.clock.now()
  return {
    id,
    orgId,
    ...columnsOf(checked),
    ...passwordColumns(deps, id, checked),
    tokens: null,
    tokensVersion: 0,
    state: 'active',
    ...NO_PROBLEM,
    ...(checked.signIn !== 'password' && signInMissing(checked.signIn)),
    importSince: input.importSince ?? null,
    isDefault: input.isDefault ?? false,
    dkim: null,
    dkimKey: null,
    lastReceivedAt: null,
    lastSentAt: null,
    lastCheckedAt: null,
    onServer: null,
    unfetched: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  }
}

/** The row of a mailbox with a change. Throws 400 with every fault. */
export function changedRow(deps: Deps, before: Mailbox, change: MailboxChange): Mailbox {
  const checked = checkMailbox(deps.config, mergedInput(before, change))
  requirePasswords(checked, before)
  return {
    ...before,
    ...columnsOf(checked),
    ...passwordColumns(deps, before.id, checked, before),
    ...stateAfter(before, checked),
    ...(change.imap?.password !== undefined && { signInRefusals: 0 }),
    ...(before.dkim && !signsFor(before.dkim.domain, checked.address) && { dkim: null, dkimKey: null }),
    ...(isElsewhereNow(before, checked) && unlearned(before, change)),
    updatedAt: deps.clock.now(),
  }
}

/** What an administrator enters, except for passwords. */
const INPUT_FIELDS = [
  'name',
  'address',
  'aliases',
  'signIn',
  'imap',
  'smtp',
  'folders',
  'sentFolder',
  'signature',
  'defaultAssignee',
  'autoReply',
  'authservId',
  'hasSubaddresses',
  'hasSubjectTokens',
] as const satisfies (keyof MailboxInput)[]

/** Names of the settings in which two rows differ, for the audit log. */
export function changedSettings({ before, after }: { before: Mailbox; after: Mailbox }): string[] {
  const hasNewPassword =
    after.deletedAt === null &&
    !(isSame(before.imapPassword, after.imapPassword) && isSame(before.smtpPassword, after.smtpPassword))
  return [
    ...changedFields([...INPUT_FIELDS, 'dkim'], { before, after }),
    ...(hasNewPassword ? ['password'] : []),
  ]
}

function isSame(before: Uint8Array | null, after: Uint8Array | null): boolean {
  if (!before || !after) return before === after
  return Buffer.compare(before, after) === 0
}

/** The columns of a mailbox without failures. */
export const NO_PROBLEM = { ...HEALTHY, signInRefusals: 0 } as const

/** What is missing until an administrator signs in at the provider. */
export function signInSentence(signIn: MailboxSignIn): string {
  return signIn === 'google'
    ? 'Sign in with Google to connect this mailbox.'
    : 'Sign in with Microsoft to connect this mailbox.'
}

/** The domain of an address in ASCII (RFC 5891). */
export function domainOf(address: string): string {
  return asciiDomain(address.slice(address.lastIndexOf('@') + 1))
}

/** Whether a signature of the domain counts for the address (RFC 7489, section 3.1.1). */
export function signsFor(domain: string, address: string): boolean {
  const own = domainOf(address).toLowerCase()
  return own === domain || own.endsWith(`.${domain}`)
}

function signInMissing(signIn: MailboxSignIn) {
  return { ...NO_PROBLEM, state: 'refused' as const, receiveError: signInSentence(signIn) }
}

function withDefaults(input: NewMailbox): MailboxInput {
  const { name, address, signIn = 'password' } = input
  const { imap, smtp } = { ...serversOf(signIn, address), ...input }
  return {
    name,
    address,
    aliases: input.aliases ?? [],
    signIn,
    imap: imap ?? NO_SERVER,
    smtp: smtp ?? NO_SERVER,
    folders: input.folders ?? ['INBOX'],
    sentFolder: input.sentFolder ?? '',
    signature: input.signature ?? '',
    defaultAssignee: input.defaultAssignee ?? '',
    autoReply: input.autoReply ?? '',
    authservId: input.authservId ?? '',
    hasSubaddresses: input.hasSubaddresses ?? null,
    hasSubjectTokens: input.hasSubjectTokens ?? false,
  }
}

/** Refused by the check of each field. */
const NO_SERVER: ServerInput = { host: '', port: 0, security: 'tls', user: '' }

function serversOf(signIn: MailboxSignIn, user: string): { imap?: ServerInput; smtp?: ServerInput } {
  if (signIn === 'password') return {}
  const { imap, smtp } = PROVIDER_SERVERS[signIn]
  return { imap: { ...imap, user }, smtp: { ...smtp, user } }
}

/** The mailbox as it would be entered now, without passwords, with the change. */
function mergedInput(before: Mailbox, change: MailboxChange): MailboxInput {
  const { signIn, address } = before
  return {
    ...pickFields(before, INPUT_FIELDS),
    ...(change.signIn && change.signIn !== signIn && serversOf(change.signIn, change.address ?? address)),
    ...change,
  }
}

function columnsOf({ imap, smtp, ...fields }: MailboxInput) {
  return {
    ...fields,
    addressKey: addressKey(fields.address),
    imap: withoutPassword(imap),
    smtp: withoutPassword(smtp),
  }
}

function isElsewhereNow(before: Mailbox, after: MailboxInput): boolean {
  const isSameAddress = before.addressKey === addressKey(after.address)
  return !isSameAddress || isElsewhere(before.imap, after.imap) || isElsewhere(before.smtp, after.smtp)
}

/** Clears values that a test found out about the previous server. The form of the mailbox sends them back unchanged. */
function unlearned(before: Mailbox, { authservId, hasSubaddresses }: MailboxChange): Partial<Mailbox> {
  const isKept = authservId === undefined || authservId === before.authservId
  return {
    ...(isKept && { authservId: '' }),
    ...(hasSubaddresses === undefined && { hasSubaddresses: null }),
  }
}

function withoutPassword({ host, port, security, user }: Mailbox['imap']): Mailbox['imap'] {
  return { host, port, security, user }
}

/**
 * Tokens are valid only for the servers that they were issued for. A refused mailbox is tried again with a new password
 * or server.
 */
function stateAfter(before: Mailbox, after: MailboxInput): Partial<Mailbox> {
  const isSameServer = !isElsewhere(before.imap, after.imap) && !isElsewhere(before.smtp, after.smtp)
  const isSameSignIn = before.signIn === after.signIn
  if (after.signIn === 'password') {
    const isRefused = before.state === 'refused'
    return {
      ...(isSameSignIn ? {} : { tokens: null, tokensVersion: before.tokensVersion + 1 }),
      ...(isRefused ? { ...NO_PROBLEM, state: 'active' } : {}),
    }
  }
  if (isSameSignIn && isSameServer) return {}
  return { tokens: null, tokensVersion: before.tokensVersion + 1, ...signInMissing(after.signIn) }
}
