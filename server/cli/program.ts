import { Command, CommanderError } from 'commander'
import { licenseTexts } from '../../release/build-facts.ts' with { type: 'macro' }
import { UsageError } from '../errors.ts'
import { FULL_VERSION } from '../version.ts'
import { addAgent } from './agent.ts'
import { addBackup, addBackupJob } from './backup.ts'
import { addBot } from './channels/bot.ts'
import { addMailbox } from './channels/mailbox.ts'
import { addWidget } from './channels/widget.ts'
import { addDeliveries } from './deliveries.ts'
import { addDoctor } from './doctor.ts'
import { addEndpoint } from './endpoint.ts'
import { addExport } from './export.ts'
import { addHealth } from './health.ts'
import { addImport } from './import.ts'
import { addKey } from './key.ts'
import { addMove } from './move.ts'
import { addOrg } from './org.ts'
import { print } from './output.ts'
import { addApi } from './remote/api.ts'
import { addListen } from './remote/forward-events.ts'
import { addMcp } from './remote/mcp-config.ts'
import { addTrigger } from './remote/trigger.ts'
import { addRestore } from './restore.ts'
import { addService } from './service-commands.ts'
import { addSetup } from './setup.ts'
import { addFiles } from './stored-files.ts'

/** Every setting of config.ts, for the help of `serve`. */
const SETTINGS_HELP = `
Settings, from the environment, or from a file (--env-file FILE, /etc/bellhop/bellhop.env, bellhop.env in the data folder):
  HOST, PORT               address to listen on (127.0.0.1, 3000); PORT=0 picks a free port
  BELLHOP_DATA             the data folder (./data)
  DATABASE_URL             a postgres://… URL, to keep data in PostgreSQL
  BELLHOP_TLS_CERT, BELLHOP_TLS_KEY
                           PEM files, to serve HTTPS without a proxy; read again when they change
  BELLHOP_URL              the public URL, for links
  BELLHOP_SECRET           encrypts signing secrets (a key file in the data folder)
  BELLHOP_WEBHOOK_RETRIES  how long to wait before each retry (30s,5m,30m)
  BELLHOP_WEBHOOK_TIMEOUT  time limit for one delivery attempt (10s)
  BELLHOP_WEBHOOK_ALLOW    networks and hosts that endpoints may use even if they are private
  BELLHOP_WEBHOOK_CA       PEM file with certificate authorities to trust for endpoints
  BELLHOP_MAIL_ALLOW       networks and hosts that mailboxes may use even if they are private
  BELLHOP_MAIL_CA          PEM file with certificate authorities to trust for mail servers
  BELLHOP_GOOGLE_OAUTH     another root URL to sign in to Google mailboxes at
  BELLHOP_MICROSOFT_OAUTH  another root URL to sign in to Microsoft mailboxes at, for a sovereign cloud
  BELLHOP_FILES            s3://bucket/prefix, to keep attachments and emails there instead of in the data folder
  BELLHOP_BACKUP           a folder, or s3://bucket/prefix, for automatic backups
  BELLHOP_BACKUP_EVERY     how often to make one (24h)
  BELLHOP_BACKUP_KEEP      which to keep: the newest of so many hours, days, weeks, or months (7d,4w)
  BELLHOP_BACKUP_PASSPHRASE  encrypts these backups
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL_S3
                           for S3, as in other tools
  BELLHOP_RATE_LIMIT       requests in 60 seconds per key (300)
  BELLHOP_TRUST_PROXY      networks whose X-Forwarded-For and X-Forwarded-Proto to trust
  BELLHOP_LOG              debug, info, warn, or error (info)
  BELLHOP_TELEGRAM_API     root URL of the Telegram Bot API
  NAME_FILE                a file with the value of a secret, such as DATABASE_URL_FILE`

/** Runs one command. Throws `UsageError` when its arguments are wrong. */
export async function runCommand(args: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
  } catch (error) {
    const isHelpOrVersion = error instanceof CommanderError && error.exitCode === 0
    if (!isHelpOrVersion) throw error
  }
}

function createProgram(): Command {
  const program = new Command('bellhop')
    .description('Customer support tickets in one program. Without a command, it starts the server.')
    .version(FULL_VERSION, '--version', 'print the version and its commit')
    .addHelpText('after', '\nEvery command takes --env-file FILE, to read the settings from a file.')
  program
    .command('serve')
    .description('start the server: API, inbox, and webhook deliveries')
    .option('--demo', 'use made-up data in a temporary folder, deleted when the server stops')
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
  addMailbox(program)
  addWidget(program)
  addBot(program)
  addBackup(program)
  addRestore(program)
  addExport(program)
  addImport(program)
  addFiles(program)
  addMove(program)
  addService(program)
  addHealth(program)
  addDoctor(program)
  addApi(program)
  addListen(program)
  addTrigger(program)
  addMcp(program)
  program
    .command('licenses')
    .description('print the licenses of Bellhop and of the packages in it')
    .action(() => print(licenseTexts()))
  addBackupJob(program)
  throwUsageErrors(program, 'bellhop')
  return program
}

/** Commander would print the error and exit. */
function throwUsageErrors(command: Command, path: string): void {
  command.configureOutput({ outputError: () => {} })
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error
    throw new UsageError(`${usageMessage(error)} Try: ${path} --help`)
  })
  for (const one of command.commands) throwUsageErrors(one, `${path} ${one.name()}`)
}

function usageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing.'
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?)]$/.test(sentence) ? sentence : `${sentence}.`
}
