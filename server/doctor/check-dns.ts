import { isIP } from 'node:net'
import { listMailboxes } from '../channels/email/mailboxes/mailboxes.ts'
import { listBots } from '../channels/telegram/bots/bots.ts'
import { resolveName } from '../network/checked-lookup.ts'
import { isLoopbackHost } from '../requests/public-address.ts'
import { listEndpoints } from '../webhooks/endpoints/endpoints.ts'
import { countOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const { ok, error } = findingsOf('dns')
const MAX_NAMES = 100
/** Named one by one. */
const MAX_FAILED = 3

/** Checks that the host names this installation uses can be resolved. Resolves no others. */
export async function checkDns(open: OpenInstallation): Promise<Finding[]> {
  const names = [...(await namesOf(open))]
    .filter((name) => !isIP(name) && !isLoopbackHost(name))
    .slice(0, MAX_NAMES)
  if (names.length === 0) return [ok('No host names to resolve yet.')]
  const resolved = await Promise.all(
    names.map((name) =>
      resolveName(name).then(
        (addresses) => addresses.length > 0,
        () => false,
      ),
    ),
  )
  const failed = names.filter((_, at) => !resolved[at])
  if (failed.length === 0) return [ok(`${countOf(names.length, 'host name')} can be resolved.`)]
  if (failed.length === names.length && failed.length > 1) {
    const detail = `This machine resolves none of ${failed.length} host names.`
    return [error(detail, 'Check the network, and the name servers in /etc/resolv.conf.')]
  }
  return failed.slice(0, MAX_FAILED).map((name) => {
    const detail = `The host name ${name} can't be resolved.`
    return error(detail, 'Check its spelling and its DNS entry.')
  })
}

async function namesOf({ deps, orgIds }: OpenInstallation): Promise<Set<string>> {
  const { publicUrl, telegramApi } = deps.config
  const names = new Set<string>()
  if (publicUrl) names.add(hostOf(publicUrl))
  for (const orgId of orgIds) {
    for (const { imap, smtp, state } of await listMailboxes(deps, orgId)) {
      if (state !== 'paused') names.add(imap.host).add(smtp.host)
    }
    for (const { url, offAt } of await listEndpoints(deps, orgId)) if (offAt === null) names.add(hostOf(url))
    if ((await listBots(deps, orgId)).some(({ state }) => state !== 'paused')) names.add(hostOf(telegramApi))
  }
  return names
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}
