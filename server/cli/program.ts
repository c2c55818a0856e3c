import { Command, CommanderError } from 'commander'
import { VERSION } from '../version.ts'
import { addAgent } from './agent.ts'
import { addDeliveries } from './deliveries.ts'
import { addEndpoint } from './endpoint.ts'
import { addKey } from './key.ts'
import { addOrg } from './org.ts'
import { SETTINGS_HELP } from './settings-help.ts'
import { addSetup } from './setup.ts'
import { UsageError } from './usage-error.ts'

/** Runs one command of the command line. Throws `UsageError` when it was called in a wrong way. */
export async function runCommand(args: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
  } catch (error) {
    const isAnswered = error instanceof CommanderError && error.exitCode === 0
    if (!isAnswered) throw error
  }
}

function createProgram(): Command {
  const program = new Command('bellhop')
    .description('Customer-support tickets in one program. Without a command it serves.')
    .version(VERSION, '--version', 'print the version')
  program
    .command('serve')
    .description('start everything: the API, its webhooks and their loops')
    .option(
      '--demo',
      'show a support desk with thirty days of made-up tickets, in a folder that is removed again',
    )
    .addHelpText('after', SETTINGS_HELP)
    .action(async ({ demo }: { demo?: true }) => {
      await (demo ? (await import('./serve-demo.ts')).serveDemo() : (await import('./serve.ts')).serve())
    })
  addSetup(program)
  addOrg(program)
  addKey(program)
  addAgent(program)
  addEndpoint(program)
  addDeliveries(program)
  refuseWrongUsage(program, 'bellhop')
  return program
}

/** Commander would print and exit by itself. */
function refuseWrongUsage(command: Command, path: string): void {
  command.configureOutput({ outputError: () => {} })
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error
    throw new UsageError(`${sentenceOf(error)} Try: ${path} --help`)
  })
  for (const one of command.commands) refuseWrongUsage(one, `${path} ${one.name()}`)
}

function sentenceOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing.'
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?)]$/.test(sentence) ? sentence : `${sentence}.`
}
