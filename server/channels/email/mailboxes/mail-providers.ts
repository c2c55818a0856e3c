import type { MailboxSignIn, MailServer } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'

const MAX_LOOKUP_MS = 3_000

type Server = Omit<MailServer, 'user'>
type Provider = Exclude<MailboxSignIn, 'password'>

/** A provider whose servers are known. */
export interface MailProvider {
  id: string
  name: string
  /** Domains of its own addresses. */
  domains: readonly string[]
  /** Ends of the names of its servers, which customers with an own domain have in their MX records. */
  mxEnds: readonly string[]
  imap: Server
  smtp: Server
  /** `password`: with the account's own password, or one that is made for apps. */
  signIn: MailboxSignIn
  /** What to do at the provider first, in a sentence or two; empty for nothing. */
  note: string
  /** Where to do it. */
  link?: string
}

const tls = (host: string, port: number): Server => ({ host, port, security: 'tls' })
const starttls = (host: string, port: number): Server => ({ host, port, security: 'starttls' })

/** The servers of mailboxes that sign in at their provider. */
export const PROVIDER_SERVERS: Record<Provider, { imap: Server; smtp: Server }> = {
  google: { imap: tls('imap.gmail.com', 993), smtp: tls('smtp.gmail.com', 465) },
  microsoft: { imap: tls('outlook.office365.com', 993), smtp: starttls('smtp.office365.com', 587) },
}

const APP_PASSWORD =
  "Create an app password for Bellhop and enter it here. Your normal password doesn't work."
const SWITCH_ON_IMAP = 'First turn on IMAP access in your mailbox settings.'

export const MAIL_PROVIDERS: readonly MailProvider[] = [
  {
    id: 'google',
    name: 'Gmail or Google Workspace',
    domains: ['gmail.com', 'googlemail.com'],
    mxEnds: ['google.com', 'googlemail.com'],
    ...PROVIDER_SERVERS.google,
    signIn: 'google',
    note: 'Sign in with Google, or turn on 2-Step Verification and create an app password.',
    link: 'https://myaccount.google.com/apppasswords',
  },
  {
    id: 'microsoft',
    name: 'Outlook or Microsoft 365',
    domains: [
      'outlook.com',
      'hotmail.com',
      'live.com',
      'msn.com',
      'outlook.de',
      'hotmail.de',
      'hotmail.co.uk',
    ],
    mxEnds: ['mail.protection.outlook.com', 'mx.microsoft', 'olc.protection.outlook.com'],
    ...PROVIDER_SERVERS.microsoft,
    signIn: 'microsoft',
    note: 'Sign in with Microsoft: passwords no longer work. An administrator of Microsoft 365 must allow IMAP and authenticated SMTP for the mailbox.',
    link: 'https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission',
  },
  {
    id: 'icloud',
    name: 'iCloud Mail',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    mxEnds: ['mail.icloud.com'],
    imap: tls('imap.mail.me.com', 993),
    smtp: starttls('smtp.mail.me.com', 587),
    signIn: 'password',
    note: "Create an app-specific password for Bellhop and enter it here. Your normal password doesn't work.",
    link: 'https://account.apple.com',
  },
  {
    id: 'fastmail',
    name: 'Fastmail',
    domains: ['fastmail.com', 'fastmail.fm', 'fastmail.co.uk', 'fastmail.de', 'fastmail.net'],
    mxEnds: ['messagingengine.com'],
    imap: tls('imap.fastmail.com', 993),
    smtp: tls('smtp.fastmail.com', 465),
    signIn: 'password',
    note: APP_PASSWORD,
    link: 'https://app.fastmail.com/settings/security/devicekeys',
  },
  {
    id: 'yahoo',
    name: 'Yahoo Mail',
    domains: [
      'yahoo.com',
      'yahoo.co.uk',
      'yahoo.de',
      'yahoo.fr',
      'yahoo.it',
      'yahoo.es',
      'yahoo.ca',
      'ymail.com',
      'rocketmail.com',
    ],
    mxEnds: ['yahoodns.net'],
    imap: tls('imap.mail.yahoo.com', 993),
    smtp: tls('smtp.mail.yahoo.com', 465),
    signIn: 'password',
    note: APP_PASSWORD,
    link: 'https://login.yahoo.com/account/security',
  },
  {
    id: 'aol',
    name: 'AOL Mail',
    domains: ['aol.com', 'aol.de', 'aim.com'],
    mxEnds: [],
    imap: tls('imap.aol.com', 993),
    smtp: tls('smtp.aol.com', 465),
    signIn: 'password',
    note: APP_PASSWORD,
    link: 'https://login.aol.com/account/security',
  },
  {
    id: 'gmx',
    name: 'GMX (German)',
    domains: ['gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'gmx.eu'],
    mxEnds: ['gmx.net'],
    imap: tls('imap.gmx.net', 993),
    smtp: tls('mail.gmx.net', 465),
    signIn: 'password',
    note: SWITCH_ON_IMAP,
  },
  {
    id: 'gmx-com',
    name: 'GMX (gmx.com)',
    domains: ['gmx.com', 'gmx.us', 'gmx.co.uk', 'gmx.fr', 'gmx.es'],
    mxEnds: [],
    imap: tls('imap.gmx.com', 993),
    smtp: starttls('mail.gmx.com', 587),
    signIn: 'password',
    note: SWITCH_ON_IMAP,
  },
  {
    id: 'web-de',
    name: 'WEB.DE',
    domains: ['web.de'],
    mxEnds: ['web.de'],
    imap: tls('imap.web.de', 993),
    smtp: starttls('smtp.web.de', 587),
    signIn: 'password',
    note: SWITCH_ON_IMAP,
  },
  {
    id: 't-online',
    name: 'Telekom (T-Online)',
    domains: ['t-online.de', 'magenta.de'],
    mxEnds: ['t-online.de'],
    imap: tls('secureimap.t-online.de', 993),
    smtp: tls('securesmtp.t-online.de', 465),
    signIn: 'password',
    note: 'Set a password for email programs in the customer center and enter it here.',
  },
  {
    id: 'ionos',
    name: 'IONOS',
    domains: [],
    mxEnds: ['ionos.com', 'ionos.de', 'ionos.co.uk', 'ionos.es', 'ionos.fr', 'kundenserver.de', '1and1.com'],
    imap: tls('imap.ionos.com', 993),
    smtp: tls('smtp.ionos.com', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'strato',
    name: 'STRATO',
    domains: [],
    mxEnds: ['rzone.de'],
    imap: tls('imap.strato.de', 993),
    smtp: tls('smtp.strato.de', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'zoho',
    name: 'Zoho Mail',
    domains: ['zoho.com', 'zohomail.com'],
    mxEnds: ['zoho.com'],
    imap: tls('imap.zoho.com', 993),
    smtp: tls('smtp.zoho.com', 465),
    signIn: 'password',
    note: 'Turn on IMAP in Zoho Mail. If you use two-factor authentication, create an app password. Organizations use imappro.zoho.com and smtppro.zoho.com.',
    link: 'https://accounts.zoho.com/home#security/app_password',
  },
  {
    id: 'zoho-eu',
    name: 'Zoho Mail (Europe)',
    domains: ['zohomail.eu', 'zoho.eu'],
    mxEnds: ['zoho.eu'],
    imap: tls('imap.zoho.eu', 993),
    smtp: tls('smtp.zoho.eu', 465),
    signIn: 'password',
    note: 'Turn on IMAP in Zoho Mail. If you use two-factor authentication, create an app password. Organizations use imappro.zoho.eu and smtppro.zoho.eu.',
    link: 'https://accounts.zoho.eu/home#security/app_password',
  },
  {
    id: 'mailbox-org',
    name: 'mailbox.org',
    domains: ['mailbox.org'],
    mxEnds: ['mailbox.org'],
    imap: tls('imap.mailbox.org', 993),
    smtp: tls('smtp.mailbox.org', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'posteo',
    name: 'Posteo',
    domains: ['posteo.de', 'posteo.net', 'posteo.eu', 'posteo.org'],
    mxEnds: ['posteo.de'],
    imap: tls('posteo.de', 993),
    smtp: tls('posteo.de', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'infomaniak',
    name: 'Infomaniak',
    domains: ['ik.me', 'etik.com', 'ikmail.com'],
    mxEnds: ['infomaniak.ch'],
    imap: tls('mail.infomaniak.com', 993),
    smtp: tls('mail.infomaniak.com', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'ovh',
    name: 'OVHcloud',
    domains: [],
    mxEnds: ['mail.ovh.net'],
    imap: tls('ssl0.ovh.net', 993),
    smtp: tls('ssl0.ovh.net', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'hostinger',
    name: 'Hostinger',
    domains: [],
    mxEnds: ['hostinger.com'],
    imap: tls('imap.hostinger.com', 993),
    smtp: tls('smtp.hostinger.com', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'namecheap',
    name: 'Namecheap Private Email',
    domains: [],
    mxEnds: ['privateemail.com'],
    imap: tls('mail.privateemail.com', 993),
    smtp: tls('mail.privateemail.com', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'rackspace',
    name: 'Rackspace Email',
    domains: [],
    mxEnds: ['emailsrvr.com'],
    imap: tls('secure.emailsrvr.com', 993),
    smtp: tls('secure.emailsrvr.com', 465),
    signIn: 'password',
    note: '',
  },
  {
    id: 'proton',
    name: 'Proton Mail (Bridge)',
    domains: ['proton.me', 'protonmail.com', 'pm.me'],
    mxEnds: ['protonmail.ch'],
    imap: starttls('127.0.0.1', 1_143),
    smtp: starttls('127.0.0.1', 1_025),
    signIn: 'password',
    note: 'Proton Mail has no IMAP of its own. Run Proton Mail Bridge on this server, enter the password that Bridge shows, add 127.0.0.1 to BELLHOP_MAIL_ALLOW, and set BELLHOP_MAIL_CA to the certificate that Bridge exports.',
    link: 'https://proton.me/mail/bridge',
  },
]

/** The provider of an address: by its domain, otherwise by the domain's MX records. Undefined for an unknown one. */
export async function findProvider(
  { clock }: Pick<Deps, 'clock'>,
  address: string,
): Promise<MailProvider | undefined> {
  const domain = address
    .slice(address.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
  if (!/^[\w-]+(\.[\w-]+)+$/.test(domain)) return undefined
  const own = MAIL_PROVIDERS.find(({ domains }) => domains.includes(domain))
  if (own) return own
  const servers = await mailServersOf(clock, domain)
  return MAIL_PROVIDERS.find(({ mxEnds }) =>
    mxEnds.some((end) => servers.some((name) => name === end || name.endsWith(`.${end}`))),
  )
}

/** Names of the servers that take mail for a domain; none when they can't be found in time. */
async function mailServersOf(clock: Deps['clock'], domain: string): Promise<string[]> {
  return new Promise((resolve) => {
    const cancel = clock.after(MAX_LOOKUP_MS, () => resolve([]))
    // Loaded when first used, so that the server starts faster.
    const { resolveMx } = process.getBuiltinModule('node:dns/promises')
    resolveMx(domain).then(
      (records) => {
        cancel()
        resolve(records.map(({ exchange }) => exchange.toLowerCase()))
      },
      () => {
        cancel()
        resolve([])
      },
    )
  })
}
