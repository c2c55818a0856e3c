import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'

const STATE = 'state of the program'

/** A program with the official client. Its agent comes back to a server of its own on this machine. */
export interface OAuthProgram {
  /** Every request that it sent: `POST /oauth/token`. */
  requests: string[]
  /** Where it sent its agent last. */
  askedAt(): URL | undefined
  /** Its tokens so far. */
  tokens(): OAuthTokens | undefined
  /** Connects, or answers `asks` after it has sent its agent to the server. */
  connect(): Promise<Client | 'asks'>
  /** Waits until the agent comes back, and takes their answer. */
  comesBack(): Promise<void>
  stop(): Promise<void>
}

/** `documentUrl`: where it describes itself, instead of registering. */
export function startOAuthProgram({ url }: { url: string }, documentUrl?: string): OAuthProgram {
  const back = Promise.withResolvers<URLSearchParams>()
  const page = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      back.resolve(new URL(request.url).searchParams)
      return new Response('<h1>Connected</h1>', { headers: { 'content-type': 'text/html' } })
    },
  })
  const redirectUrl = `http://127.0.0.1:${page.port}/callback`
  const requests: string[] = []
  const provider = new Provider(redirectUrl, documentUrl)
  const record = (input: string | URL, init?: RequestInit) => {
    requests.push(`${init?.method ?? 'GET'} ${new URL(input).pathname}`)
    return fetch(input, init)
  }
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider, fetch: record })

  return {
    requests,
    askedAt: () => provider.askedAt,
    tokens: () => provider.saved,
    async connect() {
      const client = new Client({ name: 'test', version: '1' })
      try {
        await client.connect(transport())
        return client
      } catch (error) {
        if (error instanceof UnauthorizedError) return 'asks'
        throw error
      }
    },
    async comesBack() {
      const parameters = await back.promise
      if (parameters.get('state') !== STATE) throw new Error('This is another answer.')
      await transport().finishAuth(parameters)
    },
    stop: () => page.stop(true),
  }
}

class Provider implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientMetadata
  readonly clientMetadataUrl?: string
  saved: OAuthTokens | undefined
  askedAt: URL | undefined
  #client: OAuthClientInformationMixed | undefined
  #verifier = ''
  #discovered: OAuthDiscoveryState | undefined

  constructor(
    readonly redirectUrl: string,
    documentUrl: string | undefined,
  ) {
    this.clientMetadata = { client_name: 'Helper', redirect_uris: [redirectUrl] }
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl
  }

  state() {
    return STATE
  }
  clientInformation() {
    return this.#client
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client
  }
  tokens() {
    return this.saved
  }
  saveTokens(tokens: OAuthTokens) {
    this.saved = tokens
  }
  redirectToAuthorization(url: URL) {
    this.askedAt = url
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
  codeVerifier() {
    return this.#verifier
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state
  }
  discoveryState() {
    return this.#discovered
  }
  invalidateCredentials(what: string) {
    if (what === 'tokens' || what === 'all') this.saved = undefined
  }
}
