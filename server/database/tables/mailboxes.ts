import { sql } from 'drizzle-orm'
import { boolean, bytes, index, integer, json, primaryKey, table, text, uniqueIndex } from '../columns.ts'
import type { EmailAddress } from './messages.ts'
import { organizations } from './organizations.ts'
import type { FrozenFile } from './sends.ts'

declare module './sends.ts' {
  interface SendContents {
    email: FrozenEmail
  }
}

/** An email as it is sent: everything that its bytes are made of, so that each attempt sends the same. */
export interface FrozenEmail {
  /** The address is empty as long as no mailbox is connected. */
  from: EmailAddress
  replyTo: EmailAddress
  to: EmailAddress[]
  cc: EmailAddress[]
  /** Absent for none. Part of no header: each of them is sent the same bytes alone. */
  bcc?: EmailAddress[]
  subject: string
  text: string
  html: string
  files: FrozenFile[]
  /** With angle brackets, like the ids below. */
  messageId: string
  /** For `X-Bellhop-Message`: survives a server that replaces the `Message-ID`. */
  token: string
  inReplyTo: string | null
  /** Oldest first. */
  references: string[]
  /** Milliseconds since 1970. */
  date: number
  /** Set for mail that no person wrote (RFC 3834). */
  autoSubmitted?: 'auto-replied' | 'auto-generated'
  forwardOf?: string
}

/** `refused`: sign-in was refused, and nothing is tried until an administrator reconnects it. */
export const MAILBOX_STATES = ['active', 'paused', 'refused'] as const
export type MailboxState = (typeof MAILBOX_STATES)[number]

export const MAILBOX_SIGN_INS = ['password', 'google', 'microsoft'] as const
export type MailboxSignIn = (typeof MAILBOX_SIGN_INS)[number]

/** A mail server. TLS is always used: from the start, or by STARTTLS. */
export interface MailServer {
  host: string
  port: number
  security: 'tls' | 'starttls'
  /** Empty for an SMTP server that takes messages without a sign-in. */
  user: string
}

export const mailboxes = table(
  'mailboxes',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    address: text().notNull(),
    /** The address in lower case: one mailbox per address in an organization. Null once it is removed. */
    addressKey: text(),
    /** Other addresses whose mail arrives here, as entered. None of them is ever a recipient of a reply. */
    aliases: json().$type<string[]>().notNull().default(sql`'[]'`),
    state: text().$type<MailboxState>().notNull(),
    signIn: text().$type<MailboxSignIn>().notNull(),
    imap: json().$type<MailServer>().notNull(),
    smtp: json().$type<MailServer>().notNull(),
    /** Encrypted, like the two columns below. Null for a mailbox that signs in with tokens. */
    imapPassword: bytes(),
    /** Null if it is the same as that of IMAP. */
    smtpPassword: bytes(),
    /** `{ refreshToken, accessToken, expiresAt }` as JSON. Null until an administrator has signed in. */
    tokens: bytes(),
    /** Increases with each change of the tokens, so that two refreshes do not overwrite each other. */
    tokensVersion: integer().notNull().default(0),
    /** Names of the folders to read. */
    folders: json().$type<string[]>().notNull(),
    /** Mail from before this time is not imported. Null: only mail that arrives after connecting. */
    importSince: integer(),
    /** A copy of each sent mail is stored in this folder; empty for none. */
    sentFolder: text().notNull().default(''),
    /** Markdown. Empty: the organization's signature. */
    signature: text().notNull().default(''),
    /** Agent id that new tickets are assigned to; empty for none. */
    defaultAssignee: text().notNull().default(''),
    /** Markdown, sent once when a ticket is opened; empty for none. */
    autoReply: text().notNull().default(''),
    /**
     * Whether mail to `support+anything@` arrives in this mailbox (RFC 5233). Null until a test has found out. Only where
     * it doesn't, replies use the plain address.
     */
    hasSubaddresses: boolean(),
    /** The name that the mailbox's server gives itself in `Authentication-Results` (RFC 8601). Empty: none is believed. */
    authservId: text().notNull().default(''),
    /**
     * Whether subjects of sent mail end with a signed token, for servers that remove the headers by which answers are
     * recognized.
     */
    hasSubjectTokens: boolean().notNull().default(false),
    dkim: json().$type<Dkim | null>(),
    /** The private DKIM key as PEM. Encrypted. */
    dkimKey: bytes(),
    /** New tickets and answers to API tickets leave through this mailbox unless another one is chosen. */
    isDefault: boolean().notNull().default(false),
    lastReceivedAt: integer(),
    lastSentAt: integer(),
    /** When the last check of the server succeeded. */
    lastCheckedAt: integer(),
    /** In plain words; empty when the last check succeeded. */
    receiveError: text().notNull().default(''),
    sendError: text().notNull().default(''),
    /** When the current run of failures began; null after a success. */
    receiveFailingSince: integer(),
    sendFailingSince: integer(),
    /** Refused passwords in a row. */
    signInRefusals: integer().notNull().default(0),
    /** Mails in the folders on the server, when it was last checked. */
    onServer: integer(),
    /** How many of them were still to be fetched then. */
    unfetched: integer(),
    /** Since when every administrator sees a banner about it; null when there is nothing to see. */
    alertedAt: integer(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    deletedAt: integer(),
  },
  (row) => [
    uniqueIndex('mailboxes_by_address').on(row.orgId, row.addressKey),
    index('mailboxes_by_organization').on(row.orgId, row.createdAt, row.id),
  ],
)

/** Signs mail that leaves a mailbox (RFC 6376). */
export interface Dkim {
  /** The domain of the address, or one above it. */
  domain: string
  selector: string
  /** DER, base64: the `p=` of the DNS record. */
  publicKey: string
  /** Receivers must find the record first: a signature without one looks forged. */
  isOn: boolean
}

/** How far each folder was read. UIDs of IMAP grow only as long as UIDVALIDITY stays the same (RFC 9051, 2.3.1.1). */
export const mailFolders = table(
  'mail_folders',
  {
    orgId: text().notNull(),
    mailboxId: text()
      .notNull()
      .references(() => mailboxes.id),
    name: text().notNull(),
    /** IMAP allows values above 2^31; stored as text. */
    uidValidity: text().notNull(),
    /** Every mail up to this UID has its row in `mails`, or was there before the mailbox was connected. */
    lastUid: integer().notNull(),
    /** Mails up to this UID were there before and are not imported. */
    startUid: integer().notNull(),
    checkedAt: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.mailboxId, row.name] })],
)

export const MAIL_OUTCOMES = [
  'pending',
  'message',
  'automatic',
  'bounce',
  'duplicate',
  'own',
  'quarantined',
] as const
export type MailOutcome = (typeof MAIL_OUTCOMES)[number]

/** The ledger: every mail that was fetched, and what happened to it. */
export const mails = table(
  'mails',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    mailboxId: text()
      .notNull()
      .references(() => mailboxes.id),
    folder: text().notNull(),
    uidValidity: text().notNull(),
    uid: integer().notNull(),
    /** The raw mail in the data folder, by SHA-256. Null once it is erased. */
    hash: text(),
    /** Bytes. */
    size: integer().notNull(),
    /** When the mail server received it. */
    receivedAt: integer().notNull(),
    outcome: text().$type<MailOutcome>().notNull(),
    /** Why it was quarantined or judged automatic, in plain words. */
    reason: text().notNull().default(''),
    /** For the list of the ledger; empty until the mail is parsed and after it is erased. */
    fromAddress: text().notNull().default(''),
    subject: text().notNull().default(''),
    ticketId: text(),
    messageId: text(),
    /** An administrator made a ticket of it, whatever its headers say. */
    becomesTicket: boolean().notNull().default(false),
    /** Attempts to process it that ended in a fault. */
    attempts: integer().notNull().default(0),
    createdAt: integer().notNull(),
    processedAt: integer(),
  },
  (row) => [
    uniqueIndex('mails_by_uid').on(row.mailboxId, row.folder, row.uidValidity, row.uid),
    index('mails_by_organization').on(row.orgId, row.id),
    index('mails_by_outcome').on(row.orgId, row.outcome, row.id),
    index('mails_by_mailbox').on(row.mailboxId, row.outcome, row.id),
    index('mails_pending').on(row.mailboxId, row.attempts, row.id).where(sql`outcome = 'pending'`),
    index('mails_by_ticket').on(row.orgId, row.ticketId),
    index('mails_by_hash').on(row.hash),
  ],
)

/**
 * The mails that were imported, by `Message-ID`, sender and body. Finds duplicates, copies that other mailboxes got of a
 * mail, and the ticket that a reply belongs to. A row stays as a tombstone when its ticket is erased, so that the same
 * mail does not open it again; it holds only hashes.
 */
export const knownMails = table(
  'known_mails',
  {
    orgId: text().notNull(),
    /** The one that imported it first. */
    mailboxId: text().notNull(),
    /** SHA-256 of the `Message-ID`, or of the mail when it has none, in hexadecimal. */
    messageIdHash: text().notNull(),
    /** SHA-256 of the sender's address in lower case. */
    senderHash: text().notNull(),
    /** `ParsedMail.bodyHash`. Empty in rows from before bodies were compared: there, any body is the same mail. */
    bodyHash: text().notNull().default(''),
    /** Null once the ticket is erased. */
    ticketId: text(),
    messageId: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    primaryKey({
      columns: [row.orgId, row.messageIdHash, row.senderHash, row.bodyHash, row.mailboxId],
      name: 'known_mails_key',
    }),
    // One of all mailboxes takes a mail in.
    uniqueIndex('known_mails_once')
      .on(row.orgId, row.messageIdHash, row.senderHash, row.bodyHash)
      .where(sql`body_hash <> ''`),
    index('known_mails_by_ticket').on(row.orgId, row.ticketId),
  ],
)

/** The automatic replies of the last hour, for the limits of them. */
export const autoReplies = table(
  'auto_replies',
  {
    messageId: text().primaryKey(),
    orgId: text().notNull(),
    mailboxId: text().notNull(),
    /** SHA-256, in hexadecimal, of the recipient without what one person can vary: case, subaddresses, Gmail's dots. */
    recipientHash: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('auto_replies_by_mailbox').on(row.orgId, row.mailboxId, row.createdAt),
    index('auto_replies_by_recipient').on(row.orgId, row.recipientHash, row.createdAt),
  ],
)

/** The operator's own OAuth client at Google or Microsoft. */
export const oauthClients = table(
  'oauth_clients',
  {
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    provider: text().$type<Exclude<MailboxSignIn, 'password'>>().notNull(),
    clientId: text().notNull(),
    /** Encrypted. */
    clientSecret: bytes().notNull(),
    /** Microsoft's directory; empty for Google. */
    tenant: text().notNull().default(''),
    updatedAt: integer().notNull(),
  },
  (row) => [primaryKey({ columns: [row.orgId, row.provider] })],
)

/** Sign-ins that an administrator has started at a provider (RFC 6749, RFC 7636). */
export const oauthSignIns = table('oauth_sign_ins', {
  /** SHA-256 of the `state` parameter, in hexadecimal. */
  stateHash: text().primaryKey(),
  orgId: text().notNull(),
  agentId: text().notNull(),
  mailboxId: text().notNull(),
  /** The PKCE verifier, encrypted. */
  verifier: bytes().notNull(),
  /** Where the provider sends the browser back to. The same URL must be given for the tokens. */
  redirectUrl: text().notNull(),
  expiresAt: integer().notNull(),
})
