import { createPrivateKey } from 'node:crypto'
import { Readable } from 'node:stream'
import { asciiDomain } from '../../../customers/email-addresses.ts'
import type { FrozenEmail } from '../../../database/tables/mailboxes.ts'
import type { EmailAddress } from '../../../database/tables/messages.ts'
import type { FrozenFile } from '../../../database/tables/sends.ts'
import { withoutDirectionControls } from '../../../text/direction-controls.ts'

/** A media type (RFC 6838). What a customer's browser or mail program claimed can be anything. */
const MEDIA_TYPE = /^(?!message\/|multipart\/)[a-z0-9][\w.+-]{0,63}\/[a-z0-9][\w.+-]{0,127}$/i

/** What the bytes of an email are made of. */
export type EmailContent = Omit<
  Readonly<FrozenEmail>,
  'to' | 'cc' | 'bcc' | 'replyTo' | 'html' | 'files' | 'references' | 'autoSubmitted' | 'forwardOf'
> & {
  to: readonly EmailAddress[]
  cc: readonly EmailAddress[]
  replyTo: EmailAddress | null
  /** Null for an email in plain text only. */
  html: string | null
  /** An image in the HTML part has a content id: `cid:` and this text are its address there. */
  files: readonly Pick<FrozenFile, 'name' | 'type' | 'hash' | 'contentId'>[]
  references: readonly string[]
  /** For mail that no person wrote (RFC 3834). */
  autoSubmitted?: 'auto-replied' | 'auto-generated'
}

/** DKIM (RFC 6376), where the mail server doesn't sign itself. */
export interface DkimKey {
  domain: string
  selector: string
  /** An RSA key as PEM. */
  privateKey: string
  /** A folder for messages over 10 MB, which must be read to their end before their signature can be written. */
  temporaryFolder: string
}

interface Composing {
  /** The bytes of a stored file. Called once for each attempt, and read piece by piece; may throw. */
  openFile(hash: string): AsyncIterable<Uint8Array>
  dkim?: DkimKey | undefined
}

interface ComposedEmail {
  /** RFC 5322 with CRLF, the same bytes on each call. Nothing is read before its first read. */
  stream(): Readable
  /** The length of the stream. Reads all of it. */
  countBytes(): Promise<number>
}

/**
 * Makes the bytes of an email: text and HTML as alternatives, images of the HTML in `multipart/related`, other files in
 * `multipart/mixed`. What comes from outside is encoded (RFC 2047, RFC 2231), so that no value can add a header. Throws
 * for a DKIM key that can't sign. The caller checks the addresses.
 */
export function composeEmail(email: EmailContent, composing: Composing): ComposedEmail {
  if (composing.dkim) requireRsaKey(composing.dkim.privateKey)

  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield* await openStream(email, composing)
  }

  return {
    stream: () => Readable.from(bytes(), { objectMode: false, highWaterMark: 64 * 1_024 }),
    async countBytes() {
      let count = 0
      for await (const chunk of bytes()) count += chunk.byteLength
      return count
    },
  }
}

/** An address for the envelope: the domain in ASCII (RFC 5891), so that every server takes it. */
export function envelopeAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${asciiDomain(address.slice(at + 1))}`
}

/** Loaded at the first message: many organizations have no mailbox. */
async function openStream(email: EmailContent, { openFile, dkim }: Composing): Promise<Readable> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const message = new MailComposer({
    from: visible(email.from),
    to: email.to.map(visible),
    cc: email.cc.map(visible),
    ...(email.replyTo && { replyTo: visible(email.replyTo) }),
    subject: oneLine(email.subject),
    text: email.text,
    ...(email.html !== null && { html: email.html }),
    attachments: email.files.map((file) => ({
      filename: oneLine(file.name),
      // A message inside a message must not be encoded (RFC 2046), so a server could change it. As a file it stays
      // intact.
      contentType: MEDIA_TYPE.test(file.type) ? file.type : 'application/octet-stream',
      content: Readable.from(
        lazily(() => openFile(file.hash)),
        { objectMode: false },
      ),
      ...(file.contentId && { cid: file.contentId }),
    })),
    messageId: email.messageId,
    ...(email.inReplyTo && { inReplyTo: email.inReplyTo }),
    references: [...email.references],
    date: new Date(email.date),
    headers: headersOf(email),
    // Without it, the boundary would be random, and every attempt would have other bytes.
    baseBoundary: email.token,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .createReadStream()
  if (!dkim) return message
  const { default: DKIM } = await import('nodemailer/lib/dkim')
  const { domain, selector, privateKey, temporaryFolder } = dkim
  const signer = new DKIM({
    domainName: domain,
    keySelector: selector,
    privateKey,
    cacheDir: temporaryFolder,
  })
  return signer.sign(message)
}

function visible({ name, address }: EmailAddress): EmailAddress {
  return { name: oneLine(name), address }
}

/** The library only encodes control characters and direction overrides. The receiver would decode them again. */
function oneLine(text: string): string {
  return withoutDirectionControls(text).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** Opens each file only when it is needed: an email can have 50. */
async function* lazily(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* open()
}

function headersOf(email: EmailContent): Record<string, string> {
  return {
    'X-Bellhop-Message': email.token,
    ...(email.autoSubmitted && {
      'Auto-Submitted': email.autoSubmitted,
      // Exchange doesn't know the header of RFC 3834.
      'X-Auto-Response-Suppress': 'All',
    }),
  }
}

/** The library would leave out the signature silently. */
function requireRsaKey(pem: string): void {
  if (createPrivateKey(pem).asymmetricKeyType !== 'rsa') throw new Error('The DKIM key must be an RSA key.')
}
