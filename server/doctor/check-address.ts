import { codeOf } from '../network/connection-errors.ts'
import { isLoopbackHost } from '../requests/public-address.ts'
import { type Finding, findingsOf, type Installation } from './finding.ts'

const address = findingsOf('address')
const proxy = findingsOf('proxy')

/** Checks that customers reach this server at `BELLHOP_URL`, and get the widget's script from it. */
export async function checkAddress({
  config,
  isServing,
  widgetTag,
  signal,
}: Installation): Promise<Finding[]> {
  const { publicUrl } = config
  if (publicUrl === undefined) {
    const detail = "BELLHOP_URL isn't set, so links and the website widget work on this machine only."
    return [address.warning(detail, 'Set BELLHOP_URL to the address that people will open.')]
  }
  const { hostname, protocol } = new URL(publicUrl)
  const plain =
    protocol === 'http:' && !isLoopbackHost(hostname)
      ? [
          address.warning(
            `BELLHOP_URL is ${publicUrl}: passwords and customers' messages travel unencrypted.`,
            'Serve it over HTTPS, by a proxy or with BELLHOP_TLS_CERT, and set BELLHOP_URL to https.',
          ),
        ]
      : []
  if (!isServing) return plain
  return [...plain, await askPublicUrl(publicUrl, widgetTag, signal)]
}

async function askPublicUrl(
  publicUrl: string,
  widgetTag: string | undefined,
  signal: AbortSignal,
): Promise<Finding> {
  const path = widgetTag ? '/widget.js' : '/health/live'
  let response: Response
  try {
    // Another check is for certificates.
    response = await fetch(`${publicUrl}${path}`, {
      signal,
      redirect: 'manual',
      tls: { rejectUnauthorized: false },
    })
  } catch (cause) {
    const code = cause instanceof Error ? codeOf(cause) : ''
    const detail = `${publicUrl} (BELLHOP_URL) can't be reached from this machine${code && ` (${code})`}.`
    return address.warning(
      detail,
      'Open it in a browser elsewhere. If it fails there too, check its DNS entry, the proxy, and the firewall.',
    )
  }
  const isOurs = widgetTag ? isSame(response.headers.get('etag'), widgetTag) : await isHealthy(response)
  await response.body?.cancel().catch(() => {})
  if (response.ok && isOurs) {
    return address.ok(
      `${publicUrl} reaches this server${widgetTag ? ', and serves the website widget' : ''}.`,
    )
  }
  if (response.ok && widgetTag && response.headers.get('content-type')?.includes('javascript')) {
    return address.warning(
      `${publicUrl}${path} isn't the script of this version.`,
      'Check that the proxy leads to this server, and that it caches the script for five minutes at most.',
    )
  }
  return address.error(
    `${publicUrl} (BELLHOP_URL) doesn't reach this server: ${path} has the status ${response.status}.`,
    'Set BELLHOP_URL to the address of this server, or lead the proxy to it.',
  )
}

/** A proxy that compresses makes the tag a weak one. */
function isSame(tag: string | null, own: string): boolean {
  return tag !== null && tag.replace(/^W\//, '') === own.replace(/^W\//, '')
}

async function isHealthy(response: Response): Promise<boolean> {
  const body = await response.json().catch(() => undefined)
  return body?.status === 'ok'
}

/** Behind a proxy that isn't trusted, all clients have the proxy's address, and share its limits. */
export async function checkProxy(
  { config }: Pick<Installation, 'config'>,
  untrustedProxy?: string,
): Promise<Finding[]> {
  const { publicUrl, tls, trustProxy } = config
  if (untrustedProxy !== undefined) {
    const detail = `Requests with X-Forwarded-For come from ${untrustedProxy}, which BELLHOP_TRUST_PROXY doesn't name.`
    return [proxy.warning(detail, 'If it is your proxy, add it to BELLHOP_TRUST_PROXY.')]
  }
  if (publicUrl?.startsWith('https:') && !tls && trustProxy.length === 0) {
    const detail =
      'A proxy seems to be in front, and BELLHOP_TRUST_PROXY is empty: all clients share its limits.'
    return [proxy.warning(detail, "Set BELLHOP_TRUST_PROXY to the proxy's network, such as 127.0.0.1/32.")]
  }
  if (trustProxy.length === 0) return [proxy.ok('Clients connect without a proxy.')]
  return [proxy.ok(`The headers of proxies in ${trustProxy.join(', ')} are trusted.`)]
}
