import type { AutomaticReason, ParsedMail } from '../parse/parsed-mail.ts'
import type { FoundTicket } from './find-ticket.ts'
import type { Writer } from './writer-of.ts'

/**
 * Whether the message counts as written by a program, which reopens nothing. Lists only ask for no automatic answer. And
 * rules of a mail server mark what people write: someone who answers us is a person, unless the mail says that a program
 * answered.
 */
export function isAutomatic(
  { automatic }: ParsedMail,
  { writer, found }: { writer: Writer; found: FoundTicket | undefined },
): boolean {
  switch (automatic) {
    case null:
    case 'precedence':
    case 'mailing_list':
      return false
    case 'auto_replied':
    case 'read_receipt':
      return true
    case 'no_reply_sender':
      // A form has the words of the person in Reply-To.
      return writer.person === writer.from && !found?.answersUs
    default:
      return !found?.answersUs
  }
}

export const AUTOMATIC_REASONS: Record<AutomaticReason, string> = {
  auto_replied: 'The email says that a program answered.',
  auto_submitted: 'The email says that a program wrote it (Auto-Submitted).',
  auto_response_suppress: 'The email asks for no automatic response (X-Auto-Response-Suppress).',
  precedence: 'The email was sent in bulk (Precedence).',
  mailing_list: 'The email comes from a mailing list (List-Id).',
  read_receipt: 'The email is a read receipt.',
  empty_return_path: 'The email has no return address (Return-Path).',
  no_reply_sender: 'The sender accepts no replies (no-reply).',
}
