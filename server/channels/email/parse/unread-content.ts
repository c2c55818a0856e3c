import type { MimePart } from './mime-parts.ts'

/**
 * What stands instead of the text of a mail whose content can't be read here: it is encrypted, or in a format of Outlook.
 * Undefined for any other mail. In brackets, because the sender didn't write it.
 */
export function unreadContent(part: MimePart): string | undefined {
  switch (part.type) {
    case 'multipart/encrypted':
      return '[This email is encrypted with PGP. Its content is in the attached file, which only the holder of the key can open.]'
    case 'application/pkcs7-mime':
    case 'application/x-pkcs7-mime':
      return part.parameters.get('smime-type')?.toLowerCase() === 'signed-data'
        ? '[This email is signed with S/MIME in a way that puts its text into the attached file. Open it in a mail program.]'
        : '[This email is encrypted with S/MIME. Its content is in the attached file, which only the holder of the key can open.]'
    case 'application/ms-tnef':
    case 'application/vnd.ms-tnef':
      return '[This email is in Outlook’s own format (winmail.dat), which only Outlook opens. Ask the sender for HTML or plain text.]'
    default:
      for (const child of part.children) {
        const content = unreadContent(child)
        if (content !== undefined) return content
      }
      return undefined
  }
}
