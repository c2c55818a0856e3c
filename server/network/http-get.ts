import type { IncomingMessage } from 'node:http'
import { hostName } from './allowed-host.ts'
import type { Dialer } from './dial.ts'

/** Loads a URL where the dialer may connect. Follows no redirect. The caller reads the body, or destroys it. */
export function httpGet(
  dialer: Dialer,
  url: URL,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:'
  const host = hostName(url.hostname)
  const options = {
    lookup: dialer.lookupFor(host),
    headers: { ...headers, 'user-agent': 'Bellhop' },
    agent: false,
    signal,
    ...(isTls && dialer.tlsOptions(host)),
  } as const
  return new Promise((resolve, reject) => {
    // Loaded when first used, so that the server starts faster.
    const http = process.getBuiltinModule(isTls ? 'node:https' : 'node:http')
    const request = http.request(url, options, resolve)
    request.on('error', reject)
    request.end()
  })
}

/** Undefined when the body is larger. It may be incomplete: `response.complete` says so. */
export async function readAtMost(
  response: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.byteLength
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
