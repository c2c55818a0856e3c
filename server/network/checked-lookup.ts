import { isIP, type LookupFunction } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { ConnectionError } from './connection-errors.ts'

/** Addresses of a host name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>

type LookupArguments = Parameters<LookupFunction> extends [string, ...infer Rest] ? Rest : never

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
  onResolved = () => {},
): LookupFunction {
  return (hostname, options, call) => {
    checkedAddresses(resolve, policy, hostname).then(
      (addresses) => {
        onResolved()
        answerLookup(addresses, options, call)
      },
      (error) => call(error, '', 0),
    )
  }
}

/** The addresses of a name that the policy allows, at least one. Rejects with `ConnectionError`. */
export async function checkedAddresses(
  resolve: Resolve,
  policy: AddressPolicy,
  hostname: string,
): Promise<string[]> {
  const addresses = await resolve(hostname).catch(() => {
    throw new ConnectionError('dns', `${hostname} couldn't be resolved.`)
  })
  const allowed = addresses.filter((address) => policy.allows(address, hostname))
  if (allowed.length === 0) throw refusal(hostname, addresses.length)
  return allowed
}

/** Calls back as a `lookup` must, with one address or more. */
export function answerLookup(addresses: string[], ...[options, call]: LookupArguments): void {
  const [first = { address: '', family: 0 }, ...others] = addresses.map(withFamily)
  if (options.all) call(null, [first, ...others])
  else call(null, first.address, first.family)
}

function withFamily(address: string): { address: string; family: number } {
  return { address, family: isIP(address) }
}

function refusal(hostname: string, addresses: number): ConnectionError {
  if (addresses === 0) return new ConnectionError('dns', `${hostname} has no address.`)
  // The addresses are left out: they would let an administrator map this server's internal network.
  return new ConnectionError('blocked_address', `${hostname} has no public address.`)
}
