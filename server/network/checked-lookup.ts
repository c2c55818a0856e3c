import { isIP, type LookupFunction } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { ConnectionError } from './connection-errors.ts'

/** Addresses of a host name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Uses DNS and the hosts file; c-ares on Linux, so that a slow name server does not block a thread. */
export async function resolveName(hostname: string): Promise<string[]> {
  const answers = await Bun.dns.lookup(hostname)
  return answers.map(({ address }) => address)
}

/**
 * The `lookup` of one connection: resolves the name and returns only addresses that the policy allows, so that the
 * address that was checked is the one connected to. It is not called for an IP address in the URL: check that before.
 */
export function checkedLookup(
  resolve: Resolve,
  policy: AddressPolicy,
  onResolved: () => void,
): LookupFunction {
  return (hostname, options, call) => {
    const fail = (error: Error) => call(error, '', 0)
    resolve(hostname).then(
      (addresses) => {
        const [first, ...others] = addresses
          .filter((address) => policy.allows(address, hostname))
          .map(withFamily)
        if (!first) return fail(refusal(hostname, addresses.length))
        onResolved()
        if (options.all) call(null, [first, ...others])
        else call(null, first.address, first.family)
      },
      () => fail(new ConnectionError('dns', `${hostname} couldn't be resolved.`)),
    )
  }
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) }
}

function refusal(hostname: string, addresses: number): ConnectionError {
  if (addresses === 0) return new ConnectionError('dns', `${hostname} has no address.`)
  // The addresses are left out: they would let an administrator map this server's internal network.
  return new ConnectionError('blocked_address', `${hostname} has no public address.`)
}
