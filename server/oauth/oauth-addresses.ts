import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { hostName } from '../network/allowed-host.ts'
import { createPublicAddress, isLoopbackHost } from '../requests/public-address.ts'

export const AUTHORIZE_PATH = '/oauth/authorize'
export const TOKEN_PATH = '/oauth/token'
export const REGISTER_PATH = '/oauth/register'
export const REVOKE_PATH = '/oauth/revoke'
export const MCP_PATH = '/mcp'
const ISSUER_PATH = '/oauth'
/** RFC 8414, section 3.1: the path of the issuer comes last. */
export const SERVER_METADATA_PATH = `/.well-known/oauth-authorization-server${ISSUER_PATH}` as const
/** RFC 9728, section 3.1: the path of the resource comes last. */
export const RESOURCE_METADATA_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}` as const

/** URLs of this server that programs compare exactly. */
export interface OAuthAddresses {
  issuer: string
  /** What an access token is for. */
  resource: string
  resourceMetadata: string
  urlOf(path: string): string
}

export type AddressesOf = (request: Request) => OAuthAddresses

/**
 * Reads them from `BELLHOP_URL`, or from a request that was sent to this machine by one of its own names. Throws 409 for
 * any other name, and 404 where tokens would go over the network in the clear.
 */
export function createOAuthAddresses(config: Config): AddressesOf {
  const { linkBase } = createPublicAddress(config)
  return (request) => {
    const base = linkBase(request)
    if (!isPrivate(new URL(base))) throw notPrivate()
    return {
      issuer: base + ISSUER_PATH,
      resource: base + MCP_PATH,
      resourceMetadata: base + RESOURCE_METADATA_PATH,
      urlOf: (path) => base + path,
    }
  }
}

/** Whether no one else can read what is sent there: https, or this machine. */
export function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostName(hostname)))
}

function notPrivate(): AppError {
  return new AppError(
    404,
    'oauth_needs_https',
    'Programs can sign in here only over https. Set BELLHOP_URL to an https address, or use an API key at /mcp/key.',
  )
}
