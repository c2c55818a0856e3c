import type { Command } from 'commander'
import { createMailDialer } from '../../channels/email/mail-account.ts'
import { countMails, countUnfinished } from '../../channels/email/mailboxes/mailbox-health.ts'
import { pauseMailbox, removeMailbox, resumeMailbox } from '../../channels/email/mailboxes/mailbox-state.ts'
import { listMailboxes, readMailbox, updateMailbox } from '../../channels/email/mailboxes/mailboxes.ts'
import { suggestAliases } from '../../channels/email/mailboxes/suggest-aliases.ts'
import { testStoredMailbox } from '../../channels/email/mailboxes/test-connection.ts'
import { viewLedger, viewMailbox } from '../../channels/email/mailboxes/views.ts'
import { addressKey } from '../../customers/email-addresses.ts'
import { AppError } from '../../errors.ts'
import { addList, addOnOne, addShow, addStateCommands } from '../commands.ts'
import { collect } from '../option-values.ts'
import { formatTime, printFacts, printJson, printTable } from '../output.ts'
import { withOwner } from '../with-deps.ts'
import { addMailboxAdd } from './mailbox-add.ts'

export function addMailbox(program: Command): void {
  const mailbox = program.command('mailbox').description('connect and manage mailboxes')
  addMailboxAdd(mailbox)
  addList(mailbox, {
    description: 'list the mailboxes of an organization with their state, oldest first',
    find: async (deps, orgId) => {
      const unfinished = await countUnfinished(deps, orgId)
      return (await listMailboxes(deps, orgId)).map((one) => viewMailbox(one, unfinished.get(one.id)))
    },
    columns: {
      ID: ({ id }) => id,
      ADDRESS: ({ address }) => address,
      NAME: ({ name, isDefault }) => (isDefault ? `${name} (default)` : name),
      STATE: ({ state }) => state,
      'LAST MAIL IN': ({ health }) => formatTime(health.lastReceivedAt),
      'LAST MAIL OUT': ({ health }) => formatTime(health.lastSentAt),
      DETAIL: ({ detail }) => detail,
    },
    whenEmpty: 'No mailboxes yet. Connect one with: bellhop mailbox add',
  })
  addShow(mailbox, {
    what: 'mailbox',
    description: 'show the settings and the health of a mailbox',
    run: async (deps, orgId, id) => {
      const unfinished = await countUnfinished(deps, orgId)
      return viewMailbox(await readMailbox(deps, orgId, id), unfinished.get(id))
    },
    facts: ({ health, ...one }) => ({
      id: one.id,
      address: one.address,
      aliases: one.aliases.join(', ') || '-',
      name: one.name,
      state: `${one.state}: ${one.detail}`,
      imap: serverText(one.imap),
      smtp: serverText(one.smtp),
      'signs in with': one.signIn,
      folders: one.folders.join(', '),
      'last mail in': formatTime(health.lastReceivedAt),
      'last mail out': formatTime(health.lastSentAt),
      'last checked': formatTime(health.lastCheckedAt),
      'failing since': formatTime(health.failingSince),
    }),
  })
  addAliases(mailbox)
  addTest(mailbox)
  addStateCommands(mailbox, 'mailbox', {
    pause: { description: 'stop fetching and sending mail until the mailbox is resumed', run: pauseMailbox },
    resume: { description: 'fetch and send mail again', run: resumeMailbox },
    remove: { description: 'remove a mailbox and its passwords; its tickets stay', run: removeMailbox },
  })
  addOnOne(mailbox, 'ledger', {
    what: 'mailbox',
    description: 'compare the number of emails on the server with the number processed',
    run: async (deps, orgId, id) =>
      viewLedger(await readMailbox(deps, orgId, id), await countMails(deps, orgId, id)),
    print: ({ onServer, ...counts }) =>
      printFacts({
        'on the server': onServer === null ? '-' : String(onServer),
        ...Object.fromEntries(Object.entries(counts).map(([name, mails]) => [name, String(mails)])),
      }),
  }).option('--json', 'print JSON')
}

interface AliasOptions {
  add?: string[]
  remove?: string[]
}

function addAliases(mailbox: Command): void {
  addOnOne(mailbox, 'aliases', {
    what: 'mailbox',
    description: 'list, add, and remove other addresses whose mail arrives in a mailbox',
    run: async (deps, orgId, id, { add = [], remove = [] }: AliasOptions) => {
      const { aliases: before } = await readMailbox(deps, orgId, id)
      const removed = new Set(remove.map(addressKey))
      const missing = remove.find((one) => !before.some((alias) => addressKey(alias) === addressKey(one)))
      if (missing !== undefined)
        throw new AppError(404, 'not_found', `${missing} isn't an alias of this mailbox.`)
      const aliases = [...before.filter((alias) => !removed.has(addressKey(alias))), ...add]
      const isChanged = add.length + remove.length > 0
      const after = isChanged ? await updateMailbox(deps, orgId, { id, change: { aliases } }) : undefined
      return { aliases: after?.aliases ?? before, suggested: await suggestAliases(deps, orgId, id) }
    },
    print: ({ aliases, suggested }) =>
      printTable(
        ['ADDRESS', 'STATE', 'RECENT EMAILS'],
        [
          ...aliases.map((address) => [address, 'alias', '-']),
          ...suggested.map(({ address, mails }) => [address, 'suggested', String(mails)]),
        ],
        'No aliases. Add one with: --add <address>',
      ),
  })
    .option('--add <address>', 'add an alias; repeat it for several', collect)
    .option('--remove <address>', 'remove an alias; repeat it for several', collect)
    .option('--json', 'print JSON')
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
    .action(async (id: string, { json }: { json?: true }) => {
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
