import type { Command } from 'commander'
import { createMailDialer } from '../../channels/email/mail-account.ts'
import { countMails, countUnfinished } from '../../channels/email/mailboxes/mailbox-health.ts'
import { pauseMailbox, removeMailbox, resumeMailbox } from '../../channels/email/mailboxes/mailbox-state.ts'
import { listMailboxes, readMailbox, updateMailbox } from '../../channels/email/mailboxes/mailboxes.ts'
import { suggestAliases } from '../../channels/email/mailboxes/suggest-aliases.ts'
import { testStoredMailbox } from '../../channels/email/mailboxes/test-connection.ts'
import { viewLedger, viewMailbox } from '../../channels/email/mailboxes/views.ts'
import { AppError } from '../../errors.ts'
import { addressKey } from '../../sends/email-addresses.ts'
import { collect } from '../option-values.ts'
import { formatTime, printFacts, printJson, printTable } from '../output.ts'
import { withOrganization, withOwner } from '../with-deps.ts'
import { addMailboxAdd } from './mailbox-add.ts'
import { addStateCommands } from './state-commands.ts'

export function addMailbox(program: Command): void {
  const mailbox = program.command('mailbox').description('connect and manage mailboxes')
  addMailboxAdd(mailbox)
  addList(mailbox)
  addShow(mailbox)
  addAliases(mailbox)
  addTest(mailbox)
  addStateCommands(mailbox, 'mailbox', {
    pause: { description: 'stop fetching and sending mail until the mailbox is resumed', run: pauseMailbox },
    resume: { description: 'fetch and send mail again', run: resumeMailbox },
    remove: {
      description: 'remove a mailbox and its passwords; its tickets stay',
      run: removeMailbox,
    },
  })
  addLedger(mailbox)
}

interface JsonOption {
  json?: true
}

interface AliasOptions {
  add?: string[]
  remove?: string[]
}

function addList(mailbox: Command): void {
  mailbox
    .command('list')
    .description('list the mailboxes of an organization with their state, oldest first')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print JSON')
    .action(async ({ org, json }: { org: string } & JsonOption) => {
      const found = await withOrganization(org, async (deps, { id }) => {
        const unfinished = await countUnfinished(deps, id)
        return (await listMailboxes(deps, id)).map((one) => viewMailbox(one, unfinished.get(one.id)))
      })
      if (json) return printJson(found)
      printTable(
        ['ID', 'ADDRESS', 'NAME', 'STATE', 'LAST MAIL IN', 'LAST MAIL OUT', 'DETAIL'],
        found.map(({ health, ...one }) => [
          one.id,
          one.address,
          one.isDefault ? `${one.name} (default)` : one.name,
          one.state,
          formatTime(health.lastReceivedAt),
          formatTime(health.lastSentAt),
          one.detail,
        ]),
        'No mailboxes yet. Connect one with: bellhop mailbox add',
      )
    })
}

function addShow(mailbox: Command): void {
  mailbox
    .command('show <id>')
    .description('show the settings and the health of a mailbox')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const found = await withOwner('mailbox', { named: id }, async (deps, orgId) => {
        const unfinished = await countUnfinished(deps, orgId)
        return viewMailbox(await readMailbox(deps, orgId, id), unfinished.get(id))
      })
      if (json) return printJson(found)
      const { health, imap, smtp } = found
      printFacts({
        id: found.id,
        address: found.address,
        aliases: found.aliases.join(', ') || '-',
        name: found.name,
        state: `${found.state}: ${found.detail}`,
        imap: serverText(imap),
        smtp: serverText(smtp),
        'signs in with': found.signIn,
        folders: found.folders.join(', '),
        'last mail in': formatTime(health.lastReceivedAt),
        'last mail out': formatTime(health.lastSentAt),
        'last checked': formatTime(health.lastCheckedAt),
        'failing since': formatTime(health.failingSince),
      })
    })
}

function addAliases(mailbox: Command): void {
  mailbox
    .command('aliases <id>')
    .description('list, add, and remove other addresses whose mail arrives in a mailbox')
    .option('--add <address>', 'add an alias; repeat it for several', collect)
    .option('--remove <address>', 'remove an alias; repeat it for several', collect)
    .option('--json', 'print JSON')
    .action(async (id: string, { add = [], remove = [], json }: JsonOption & AliasOptions) => {
      const found = await withOwner('mailbox', { named: id }, async (deps, orgId) => {
        const { aliases: before } = await readMailbox(deps, orgId, id)
        const removed = new Set(remove.map(addressKey))
        const missing = remove.find((one) => !before.some((alias) => addressKey(alias) === addressKey(one)))
        if (missing !== undefined)
          throw new AppError(404, 'not_found', `${missing} isn't an alias of this mailbox.`)
        const aliases = [...before.filter((alias) => !removed.has(addressKey(alias))), ...add]
        const isChanged = add.length + remove.length > 0
        const after = isChanged ? await updateMailbox(deps, orgId, { id, change: { aliases } }) : undefined
        return { aliases: after?.aliases ?? before, suggested: await suggestAliases(deps, orgId, id) }
      })
      if (json) return printJson(found)
      const suggested = found.suggested.map(({ address, mails }) => [address, 'suggested', String(mails)])
      printTable(
        ['ADDRESS', 'STATE', 'RECENT EMAILS'],
        [...found.aliases.map((address) => [address, 'alias', '-']), ...suggested],
        'No aliases. Add one with: --add <address>',
      )
    })
}

function serverText({
  host,
  port,
  security,
  user,
}: {
  host: string
  port: number
  security: string
  user: string
}) {
  const by = security === 'tls' ? 'TLS' : 'STARTTLS'
  return `${host}:${port} with ${by}${user === '' ? '' : ` as ${user}`}`
}

function addTest(mailbox: Command): void {
  mailbox
    .command('test <id>')
    .description('sign in to both servers, and send a message to the mailbox itself; takes up to a minute')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const { isOk, steps } = await withOwner('mailbox', { named: id }, async (deps, orgId) => {
        const mail = { clock: deps.clock, dialer: createMailDialer(deps) }
        return testStoredMailbox(deps, mail, { orgId, id, change: {} }, new AbortController().signal)
      })
      if (json) printJson({ isOk, steps })
      else {
        const rows = steps.map(({ side, step, state, detail = '' }) => [side, step, state, detail])
        printTable(['SERVER', 'STEP', 'STATE', 'DETAIL'], rows, '')
      }
      const failed = steps.find(({ state }) => state === 'failed')
      if (failed)
        throw new AppError(
          409,
          'mailbox_test_failed',
          [failed.detail, failed.advice].filter(Boolean).join(' '),
        )
    })
}

function addLedger(mailbox: Command): void {
  mailbox
    .command('ledger <id>')
    .description('compare the number of emails on the server with the number processed')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const ledger = await withOwner('mailbox', { named: id }, async (deps, orgId) =>
        viewLedger(await readMailbox(deps, orgId, id), await countMails(deps, orgId, id)),
      )
      if (json) return printJson(ledger)
      const { onServer, ...counts } = ledger
      printFacts({
        'on the server': onServer === null ? '-' : String(onServer),
        ...Object.fromEntries(Object.entries(counts).map(([name, mails]) => [name, String(mails)])),
      })
    })
}
