import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { MailServer } from '../../database/tables/mailboxes.ts'
import { createAddressPolicy } from '../../network/address-policy.ts'
import type { Resolve } from '../../network/checked-lookup.ts'
import { createDialer, type Dialer } from '../../network/dial.ts'

/** A server of a mailbox, and how to sign in. There is no sign-in and no message without encryption. */
export interface MailAccount extends Omit<MailServer, 'user'> {
  /** Null for a server that takes messages without a sign-in. */
  auth: MailAuth | null
}

export type MailAuth =
  | { method: 'password'; user: string; password: string }
  /** XOAUTH2. The function is called at each sign-in; its errors are passed on. */
  | { method: 'oauth2'; user: string; accessToken: () => Promise<string> }

/** What sessions with mail servers need. */
export interface MailDeps {
  clock: Clock
  dialer: Dialer
}

/** Connections to mail servers under `BELLHOP_MAIL_ALLOW` and `BELLHOP_MAIL_CA`. `resolve` replaces DNS in tests. */
export function createMailDialer(
  { clock, config }: { clock: Clock; config: Config },
  resolve?: Resolve,
): Dialer {
  return createDialer({
    clock,
    policy: createAddressPolicy(config.mailAllow),
    ca: config.mailCa,
    ...(resolve && { resolve }),
  })
}

/**
 * Why a host can't be entered as a mail server, as a code and a sentence, or null. Does not resolve names: every
 * connection does that.
 */
export function refusalOfMailHost(
  config: Pick<Config, 'mailAllow'>,
  host: string,
): { code: 'invalid_host' | 'blocked_host' | 'blocked_address'; detail: string } | null {
  const name = hostOf(host)
  if (!name) return { code: 'invalid_host', detail: 'Enter a host name such as mail.example.com.' }
  const refusal = createAddressPolicy(config.mailAllow).refusalOfHost(name)
  return refusal && { code: refusal.code, detail: `${refusal.detail} ${ALLOW_HINT}` }
}

/** Ends the sentence about a host that the address policy refuses. */
export const ALLOW_HINT = 'To use it, add it or its network to BELLHOP_MAIL_ALLOW.'

/**
 * The host as it would be dialed, or undefined. The URL parser knows every form, such as `2130706433` for 127.0.0.1.
 */
function hostOf(host: string): string | undefined {
  if (!/^[\p{L}\p{N}_.:-]+$/u.test(host)) return undefined
  return URL.parse(`https://${host.includes(':') ? `[${host}]` : host}/`)?.hostname
}
