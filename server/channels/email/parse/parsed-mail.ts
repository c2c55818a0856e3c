/** A mail larger than this isn't read. Mail servers accept 25 to 50 MB. */
export const MAX_MAIL_BYTES = 104_857_600
/** Code points of `text` and of `quoted`. Longer text is also kept as a file. */
export const MAX_TEXT_LENGTH = 65_536
/** Addresses of one header. */
export const MAX_ADDRESSES = 500
/** Message ids of `References`: the first, and the newest. */
export const MAX_REFERENCES = 100
/** Files of one mail, the inline images among them. */
export const MAX_ATTACHMENTS = 50

/** A mail as plain data, bounded in every list and text. Texts hold no control characters but tab and line feed. */
export interface ParsedMail {
  /** With angle brackets. Null when it is missing or no id. */
  messageId: string | null
  from: MailAddress | null
  /** From names more than one address, or there is more than one: no one knows which of them a mail server has checked. */
  hasSeveralSenders: boolean
  sender: MailAddress | null
  /** The member whose mail a group passed on under its own address: `X-Original-From`. */
  originalFrom: MailAddress[]
  replyTo: MailAddress[]
  to: MailAddress[]
  cc: MailAddress[]
  /** Addresses the mail was delivered to: `Delivered-To`, `X-Original-To` and `Envelope-To`, in lower case. */
  deliveredTo: string[]
  /** Where bounces go. An empty string means nowhere: the mail is itself a notification (RFC 5321, 4.5.5). */
  returnPath: string | null
  /** What the sender's clock said, in milliseconds since 1970. */
  date: number | null
  /** One line; empty when there is none. */
  subject: string
  /** Message ids with angle brackets. */
  inReplyTo: string[]
  /** Message ids with angle brackets, oldest first. */
  references: string[]
  /** The new text. Made from the HTML when the mail has no text. */
  text: string
  /** The earlier mail quoted around it. */
  quoted: string
  /** Safe to show in a sandboxed frame. Null when the mail has no HTML or it can't be shown; see `ParseResult`. */
  html: string | null
  /** Whether `html` shows more than `text`: pictures, tables, colors. */
  isFormatted: boolean
  /** Whether `html` has images in `data-remote-src`. */
  hasRemoteImages: boolean
  attachments: MailAttachment[]
  /** SHA-256, in hexadecimal, of what the mail says and its files. Its way, encoding and line breaks don't matter. */
  bodyHash: string
  /** Files beyond `MAX_ATTACHMENTS`. They are in the raw mail only. */
  omittedAttachments: number
  automatic: AutomaticReason | null
  bounce: BounceReport | null
  /** Values of our own `X-Bellhop-…` headers by lower-case name. Anyone can write them, so they are only hints. */
  ownHeaders: Record<string, string>
  /** What the mailbox's own server found. Null when it says nothing. */
  authentication: Authentication | null
}

export interface MailAddress {
  /** Empty when there is none. */
  name: string
  address: string
}

export interface MailAttachment {
  /** SHA-256 of the content, hexadecimal. */
  hash: string
  /** The file with the content. Attachments with one hash share it. */
  path: string
  /** A file name without folders. */
  name: string
  /** Media type: recognized from the content where possible, otherwise declared. */
  type: string
  /** In bytes. */
  size: number
  /** Without angle brackets. */
  contentId: string | null
  /** Whether `html` shows it. */
  isInline: boolean
}

/** Why a mail counts as written by a machine (RFC 3834). */
export type AutomaticReason =
  | 'auto_replied'
  | 'auto_submitted'
  | 'auto_response_suppress'
  | 'precedence'
  | 'mailing_list'
  | 'read_receipt'
  | 'empty_return_path'
  | 'no_reply_sender'

/** A report about a mail that was sent from here (RFC 3464), or a notice in a server's own words. */
export interface BounceReport {
  /** Message id of the mail the report is about, with angle brackets. */
  originalMessageId: string | null
  recipients: BouncedRecipient[]
  /** What the server wrote for people. */
  text: string
}

export interface BouncedRecipient {
  address: string
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
  /** As in RFC 3463: `5.1.1`. Empty when the server gave none. */
  status: string
  /** The words of the refusing server. */
  diagnostic: string
}

export interface Authentication {
  spf: AuthenticationResult
  dkim: AuthenticationResult
  dmarc: AuthenticationResult
  /** In lower case: those for which SPF or DKIM passed. */
  domains: string[]
}

export type AuthenticationResult = 'pass' | 'fail' | 'none'

/**
 * How reading a mail ended. `htmlOmitted` says why the HTML of a parsed mail is missing. An `unparsable` mail failed
 * because of its content, and fails again: `reason` is a sentence for people.
 */
export type ParseResult =
  | { outcome: 'parsed'; mail: ParsedMail; htmlOmitted: HtmlOmission | null }
  | { outcome: 'unparsable'; reason: string }

export type HtmlOmission = 'too_slow' | 'too_large' | 'failed'
