import { resolveMx } from 'node:dns/promises'
import type { Deps } from '../../../deps.ts'
import { MAIL_PROVIDERS, type MailProvider } from './mail-providers.ts'

const MAX_LOOKUP_MS = 3_000

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
