import type { Command } from 'commander'
import { oneOf } from '../option-values.ts'
import { note, printJson } from '../output.ts'
import { addressOf, addUrl } from './connect.ts'

interface Client {
  /** Where the client looks for it. */
  file: string
  /** What the person does with their key. */
  key: string
  config(url: string): object
}

const FROM_VARIABLE = 'Set BELLHOP_KEY to the key before you start it.'

/** As each client documents it. None of them has the key in its file. */
const CLIENTS = {
  'claude-code': {
    file: '.mcp.json in your project',
    key: FROM_VARIABLE,
    config: (url: string) => ({
      mcpServers: { bellhop: { type: 'http', url, ...bearer('BELLHOP_KEY') } },
    }),
  },
  cursor: {
    file: '.cursor/mcp.json in your project, or ~/.cursor/mcp.json',
    key: FROM_VARIABLE,
    config: (url: string) => ({ mcpServers: { bellhop: { url, ...bearer('env:BELLHOP_KEY') } } }),
  },
  vscode: {
    file: '.vscode/mcp.json in your project',
    key: 'VS Code asks for the key when it connects.',
    config: (url: string) => ({
      inputs: [
        { type: 'promptString', id: 'bellhop-key', description: 'API key of Bellhop', password: true },
      ],
      servers: { bellhop: { type: 'http', url, ...bearer('input:bellhop-key') } },
    }),
  },
} satisfies Record<string, Client>

type ClientName = keyof typeof CLIENTS

/** `bellhop mcp config`: what connects a client to `/mcp/key`. */
export function addMcp(program: Command): void {
  const names = Object.keys(CLIENTS) as ClientName[]
  const mcp = program.command('mcp').description('connect programs that speak MCP')
  const config = mcp
    .command('config')
    .description('print the settings of a client, without the key')
    .argument('<client>', `one of ${names.join(', ')}`, oneOf(names))
    .action((name: ClientName, options: { url?: string }) => {
      const { file, key, config } = CLIENTS[name]
      printJson(config(`${addressOf(options)}/mcp/key`))
      note(`Save it as ${file}. ${key}`)
    })
  addUrl(config)
}

/** Of a variable that the client replaces. */
function bearer(variable: string) {
  return { headers: { Authorization: `Bearer \${${variable}}` } }
}
