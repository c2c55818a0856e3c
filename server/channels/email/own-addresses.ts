import { addressKey, baseKey } from '../../customers/email-addresses.ts'
import { withoutToken } from './reply-address.ts'

/** An organization's mailbox addresses and their aliases, including all subaddresses with `+` (RFC 5233). */
export interface OwnAddresses {
  has(address: string): boolean
}

/** Of these mailboxes. A removed one has no key. */
export function ownAddresses(
  mailboxes: readonly { addressKey: string | null; aliases: readonly string[] }[],
): OwnAddresses {
  const own = new Set(
    mailboxes.flatMap((each) => [each.addressKey ?? [], each.aliases.map(addressKey)].flat()),
  )
  return {
    has(address) {
      const key = addressKey(address)
      return own.has(key) || own.has(withoutToken(key)) || own.has(baseKey(key))
    },
  }
}
