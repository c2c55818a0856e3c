import { expect } from 'bun:test'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** How the official client speaks to the server: the revision of 2026, or one of 2025. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof REVISIONS)[number]

/** What a tool answered: its data, or the code and the detail of its error. */
export interface ToolResult<Data> {
  data: Data
  error:
    | {
        code: string
        detail: string
        id?: string
        errors?: { pointer?: string; code: string; detail?: string }[]
      }
    | undefined
  /** As the model gets it. */
  result: CallToolResult
}

/** A program that is connected to `/mcp/key`, or to another path. */
export interface McpClient {
  client: Client
  toolNames(): Promise<string[]>
  /** Throws what is an error of the protocol. */
  call<Data = Record<string, unknown>>(
    name: string,
    args?: Record<string, unknown>,
  ): Promise<ToolResult<Data>>
}

export async function connectMcp(
  { url, key, path = '/mcp/key' }: { url: string; key: string; path?: string },
  revision: Revision = REVISIONS[0],
): Promise<McpClient> {
  const mode = revision === REVISIONS[0] ? { pin: revision } : ('legacy' as const)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url + path), { requestInit: { headers } }))
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  return {
    client,
    async toolNames() {
      return (await client.listTools()).tools.map(({ name }) => name)
    },
    async call(name, args = {}) {
      // The client compares the answer with the schema of the tool once it has listed them.
      const result = await client.callTool({ name, arguments: args })
      return { data: dataIn(result), error: errorIn(result), result }
    },
  }
}

function dataIn(result: CallToolResult) {
  const [text] = result.content
  if (result.isError !== true) expect(JSON.parse(textIn(text))).toEqual(result.structuredContent)
  return JSON.parse(JSON.stringify(result.structuredContent ?? {}))
}

function errorIn({ isError, content: [first] }: CallToolResult) {
  return isError === true ? JSON.parse(textIn(first)) : undefined
}

function textIn(content: CallToolResult['content'][number] | undefined): string {
  return content?.type === 'text' ? content.text : ''
}
