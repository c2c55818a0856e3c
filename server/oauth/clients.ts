import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { networkOf } from '../requests/address.ts'
import { createLimits } from '../requests/rolling-window.ts'
import { withoutDirectionControls } from '../text/direction-controls.ts'
import { createClientDocuments, isDocumentUrl } from './client-documents.ts'
import { OAuthError, tooMany } from './oauth-error.ts'
import { isRedirectUri } from './redirects.ts'

/** Nothing is stored, but sealing costs time, and a nonce of the encryption can be used only so often. */
const REGISTRATIONS_PER_NETWORK = 20
const REGISTRATIONS_IN_ALL = 300
/** The whole registration is in the id, which is a part of URLs. */
const MAX_REGISTRATION_LENGTH = 2_048
const MAX_REDIRECT_URIS = 20
const MAX_NAME_LENGTH = 80
const ID_START = 'bellhop_client_'
/** What the ciphertext is bound to. */
const SEALED_FOR = 'oauth client'

/** A program that asks agents for access. It has no secret. */
export interface OAuthClient {
  id: string
  /** What it calls itself. */
  name: string
  /** The host that vouches for the name; undefined for a registered one, which anyone could have made up. */
  host: string | undefined
  redirectUris: string[]
}

/** What a program says of itself: RFC 7591, section 2. Read from JSON. */
type ClientMetadata = Record<string, unknown>

export function createClients(deps: Deps) {
  const documents = createClientDocuments(deps)
  const limits = createLimits(deps.clock.monotonic)

  return {
    /** The client of an id. Throws 400 when there is none, and 429 when an agent has asked for too many documents. */
    async find(id: string, agentId: string): Promise<OAuthClient> {
      if (!isDocumentUrl(id)) return unseal(deps, id)
      const metadata = await documents.read(id, agentId)
      const { host } = new URL(id)
      return { id, host, ...readMetadata(metadata, host) }
    },
    /** Registers a program without storing anything. Throws `OAuthError`, and 429 for too many. */
    register(metadata: ClientMetadata, address: string): OAuthClient {
      const network = networkOf(address)
      const wait = limits.take([
        { key: 'all', most: REGISTRATIONS_IN_ALL, in: 'minute' },
        { key: `of ${network}`, most: REGISTRATIONS_PER_NETWORK, in: 'minute' },
      ])
      if (wait !== undefined) throw tooMany('Too many registrations.', wait)
      const known = readMetadata(metadata, undefined)
      return { id: seal(deps, known), host: undefined, ...known }
    },
  }
}

export type Clients = ReturnType<typeof createClients>

type Named = Pick<OAuthClient, 'name' | 'redirectUris'>

/**
 * Throws `OAuthError`. Redirects that can't be used here are left out: programs also name those of their own schemes.
 */
function readMetadata(metadata: ClientMetadata, host: string | undefined): Named {
  const { redirect_uris: named, client_name: name } = metadata
  const redirectUris = Array.isArray(named) ? named.slice(0, MAX_REDIRECT_URIS).filter(isRedirectUri) : []
  const [first] = redirectUris
  if (first === undefined) {
    const description =
      'redirect_uris must contain an https URL, or an http URL of this machine such as http://127.0.0.1/callback.'
    throw new OAuthError('invalid_redirect_uri', description)
  }
  // A registered client gets the method that it must use in the answer. A document can't be answered.
  if (host !== undefined && !isPublic(metadata)) {
    const description =
      'token_endpoint_auth_method must be none, or token_endpoint_auth_methods_supported name it.'
    throw new OAuthError('invalid_client_metadata', description)
  }
  return { name: nameOf(name) || host || new URL(first).host, redirectUris }
}

/** Whether it can ask for tokens without a secret. ChatGPT prefers a key of its own, and lists `none` as another way. */
function isPublic(metadata: ClientMetadata): boolean {
  const { token_endpoint_auth_method: method, token_endpoint_auth_methods_supported: others } = metadata
  return method === undefined || method === 'none' || (Array.isArray(others) && others.includes('none'))
}

function nameOf(name: unknown): string {
  if (typeof name !== 'string') return ''
  return withoutDirectionControls(name)
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed()
}

function seal({ encryption }: Deps, { name, redirectUris }: Named): string {
  const registration = JSON.stringify([name, ...redirectUris])
  if (registration.length > MAX_REGISTRATION_LENGTH) {
    const description = `client_name and redirect_uris must have at most ${MAX_REGISTRATION_LENGTH} characters together.`
    throw new OAuthError('invalid_client_metadata', description)
  }
  return ID_START + Buffer.from(encryption.encrypt(registration, SEALED_FOR)).toString('base64url')
}

function unseal({ encryption }: Deps, id: string): OAuthClient {
  if (!id.startsWith(ID_START)) throw unknownClient()
  const sealed = Buffer.from(id.slice(ID_START.length), 'base64url')
  try {
    const [name, ...redirectUris]: string[] = JSON.parse(encryption.decrypt(sealed, SEALED_FOR))
    return { id, name: name ?? '', host: undefined, redirectUris }
  } catch {
    throw unknownClient()
  }
}

function unknownClient(): AppError {
  const detail = "This program isn't known here. Remove the connection in the program, and connect it again."
  return new AppError(400, 'unknown_client', detail)
}
