import type { MailServer } from '../../../database/tables/mailboxes.ts'
import { isoTime, isoTimeOrNull } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { pausedSentence } from '../../../messages/sends/account-health.ts'
import { failingSince, healthOf } from '../../accounts/receiving-health.ts'
import { labelOf, mailboxProblem } from '../outbound/email-way.ts'
import type { MailProvider } from './mail-providers.ts'
import { countUnfinished, type MailCounts, type UnfinishedMails } from './mailbox-health.ts'
import { type Mailbox, signInSentence } from './mailbox-rows.ts'

/** A mailbox with its health, without its secrets. Times are ISO 8601 or null. */
export function viewMailbox(mailbox: Mailbox, unfinished: UnfinishedMails = { pending: 0, quarantined: 0 }) {
  const { pending, quarantined } = unfinished
  const { onServer, unfetched } = mailbox
  return {
    id: mailbox.id,
    name: mailbox.name,
    address: mailbox.address,
    aliases: mailbox.aliases,
    isDefault: mailbox.isDefault,
    state: healthOf(mailbox),
    detail: detailOf(mailbox),
    signIn: mailbox.signIn,
    /** False for a Google or Microsoft mailbox that no one has signed in to. */
    isSignedIn: mailbox.signIn === 'password' || mailbox.tokens !== null,
    imap: viewServer(mailbox.imap),
    smtp: viewServer(mailbox.smtp),
    /** Whether SMTP has a separate password. */
    hasSmtpPassword: mailbox.smtpPassword !== null,
    folders: mailbox.folders,
    importSince: isoTimeOrNull(mailbox.importSince),
    sentFolder: mailbox.sentFolder,
    signature: mailbox.signature,
    defaultAssignee: mailbox.defaultAssignee === '' ? null : mailbox.defaultAssignee,
    autoReply: mailbox.autoReply,
    authservId: mailbox.authservId,
    hasSubaddresses: mailbox.hasSubaddresses,
    hasSubjectTokens: mailbox.hasSubjectTokens,
    dkim: viewDkim(mailbox),
    health: {
      lastReceivedAt: isoTimeOrNull(mailbox.lastReceivedAt),
      lastSentAt: isoTimeOrNull(mailbox.lastSentAt),
      lastCheckedAt: isoTimeOrNull(mailbox.lastCheckedAt),
      failingSince: isoTimeOrNull(failingSince(mailbox)),
      receiveError: mailbox.receiveError || null,
      sendError: mailbox.sendError || null,
      onServer,
      unaccounted: unfetched === null ? null : unfetched + pending,
      quarantined,
    },
    createdAt: isoTime(mailbox.createdAt),
    updatedAt: isoTime(mailbox.updatedAt),
  }
}

/** With the mails in them that are still to be processed. */
export async function viewMailboxes(deps: Deps, orgId: string, mailboxes: Mailbox[]) {
  const unfinished = await countUnfinished(deps, orgId)
  return mailboxes.map((mailbox) => viewMailbox(mailbox, unfinished.get(mailbox.id)))
}

/** For the banner of administrators. */
export function viewProblem(mailbox: Mailbox) {
  return {
    id: mailbox.id,
    name: mailbox.name,
    address: mailbox.address,
    state: healthOf(mailbox),
    since: isoTime(failingSince(mailbox) ?? mailbox.updatedAt),
    detail: detailOf(mailbox),
    /** The provider to sign in to again. */
    signIn: mailbox.signIn,
  }
}

/** What every agent may see: the addresses that replies can leave from. */
export function viewSender(mailbox: Mailbox) {
  const { id, name, address, signature, isDefault } = mailbox
  const problem = mailboxProblem(mailbox)
  return { id, name, address, signature, isDefault, ...(problem && { problem }) }
}

/** Compares the mails on the server with those accounted for. `onServer` is null before the first check. */
export function viewLedger({ onServer, unfetched }: Mailbox, counts: MailCounts) {
  const { pending, message, automatic, bounce, duplicate, own, quarantined } = counts
  return {
    onServer,
    fetched: pending + message + automatic + bounce + duplicate + own + quarantined,
    messages: message,
    automatic,
    bounces: bounce,
    duplicates: duplicate,
    own,
    quarantined,
    unaccounted: (unfetched ?? 0) + pending,
  }
}

export function viewProvider({ id, name, domains, imap, smtp, signIn, note, link }: MailProvider) {
  return { id, name, domains: [...domains], imap, smtp, signIn, note, ...(link && { link }) }
}

/** With the TXT record to publish (RFC 6376, section 3.6.1). */
function viewDkim({ dkim }: Mailbox) {
  if (!dkim) return null
  const { domain, selector, publicKey, isOn } = dkim
  const record = { name: `${selector}._domainkey.${domain}`, value: `v=DKIM1; k=rsa; p=${publicKey}` }
  return { domain, selector, isOn, record }
}

/** The state in a sentence. */
function detailOf(mailbox: Mailbox): string {
  switch (healthOf(mailbox)) {
    case 'active':
      return activeDetail(mailbox)
    case 'connecting':
      return 'Bellhop has not reached the mail server yet.'
    case 'paused':
      return pausedSentence(labelOf(mailbox))
    case 'failing':
      return mailbox.receiveError || mailbox.sendError
    case 'refused':
      return mailbox.receiveError || mailbox.sendError || signInSentence(mailbox.signIn)
  }
}

/** Only what has happened: whether a server accepts mail is unknown before it has accepted one. */
function activeDetail({ lastSentAt }: Mailbox): string {
  return lastSentAt === null ? 'Receives mail. No mail has been sent yet.' : 'Receives and sends mail.'
}

function viewServer({ host, port, security, user }: MailServer) {
  return { host, port, security, user }
}
