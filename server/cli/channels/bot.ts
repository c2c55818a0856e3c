import type { Command } from 'commander'
import { type BotApi, createBotApi } from '../../channels/telegram/bot-api/bot-api.ts'
import { countQueues } from '../../channels/telegram/bots/bot-health.ts'
import { pauseBot, removeBot, resumeBot } from '../../channels/telegram/bots/bot-state.ts'
import { createBot, listBots, readBot } from '../../channels/telegram/bots/bots.ts'
import { viewBot } from '../../channels/telegram/bots/views.ts'
import type { Deps } from '../../deps.ts'
import { UsageError } from '../../errors.ts'
import { secretFrom } from '../option-values.ts'
import { formatTime, print, printFacts, printJson, printTable } from '../output.ts'
import { withOrganization, withOwner } from '../with-deps.ts'
import { addStateCommands } from './state-commands.ts'

export function addBot(program: Command): void {
  const bot = program.command('bot').description('connect and manage Telegram bots')
  addAdd(bot)
  addList(bot)
  addShow(bot)
  addStateCommands(bot, 'bot', {
    pause: { description: 'stop receiving and sending messages until the bot is resumed', run: pauseBot },
    resume: { description: 'receive and send messages again', run: resumeBot },
    remove: {
      description: 'remove a bot and its token; its tickets stay',
      run: (deps, orgId, id) => withApi(deps, (api) => removeBot(deps, api, orgId, id)),
    },
  })
}

interface JsonOption {
  json?: true
}

interface AddOptions extends JsonOption {
  org: string
  name: string
  tokenFile: string
}

function addAdd(bot: Command): void {
  bot
    .command('add')
    .description('check the token of a bot with Telegram, connect the bot, and print its id')
    .requiredOption('--org <org>', 'id or name of the organization')
    .requiredOption('--name <name>', 'a name for your team')
    .requiredOption('--token-file <file>', 'file with the token from @BotFather; - reads standard input')
    .option('--json', 'print JSON')
    .action(async ({ org, name, tokenFile, json }: AddOptions) => {
      const token = secretFrom(tokenFile, 'token')
      if (!token) throw new UsageError(`The token file "${tokenFile}" is empty.`)
      const made = await withOrganization(org, async (deps, { id }) =>
        viewBot(await withApi(deps, (api) => createBot(deps, api, id, { name, token }))),
      )
      if (json) printJson(made)
      else print(made.id)
    })
}

function addList(bot: Command): void {
  bot
    .command('list')
    .description('list the bots of an organization with their state, oldest first')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print JSON')
    .action(async ({ org, json }: { org: string } & JsonOption) => {
      const found = await withOrganization(org, async (deps, { id }) => {
        const queues = await countQueues(deps, id)
        return (await listBots(deps, id)).map((one) => viewBot(one, queues.get(one.id)))
      })
      if (json) return printJson(found)
      printTable(
        ['ID', 'BOT', 'NAME', 'STATE', 'LAST MESSAGE IN', 'LAST MESSAGE OUT', 'DETAIL'],
        found.map((one) => [
          one.id,
          `@${one.username}`,
          one.name,
          one.state,
          formatTime(one.lastUpdateAt),
          formatTime(one.lastSentAt),
          one.detail,
        ]),
        'No bots yet. Connect one with: bellhop bot add',
      )
    })
}

function addShow(bot: Command): void {
  bot
    .command('show <id>')
    .description('show the settings and the health of a bot')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const found = await withOwner('bot', { named: id }, async (deps, orgId) => {
        const queues = await countQueues(deps, orgId)
        return viewBot(await readBot(deps, orgId, id), queues.get(id))
      })
      if (json) return printJson(found)
      const { queue, newTicketAfterDays: days } = found
      printFacts({
        id: found.id,
        bot: `@${found.username}`,
        name: found.name,
        state: `${found.state}: ${found.detail}`,
        'receives by': found.receives === 'webhook' ? 'webhook' : 'long polling',
        greeting: found.greeting || 'the default',
        'after a resolved ticket': days === null ? 'the reopen rule' : `a new ticket after ${days} days`,
        'shows typing': found.showsTyping ? 'yes' : 'no',
        'last message in': formatTime(found.lastUpdateAt),
        'last message out': formatTime(found.lastSentAt),
        'last checked': formatTime(found.lastCheckedAt),
        queue: `${queue.incoming} to process, ${queue.outgoing} to send`,
        'unknown updates': String(found.unknownUpdates),
        'failing since': formatTime(found.receiveFailingSince ?? found.sendFailingSince),
      })
    })
}

async function withApi<Result>(
  { clock, config }: Deps,
  work: (api: BotApi) => Promise<Result>,
): Promise<Result> {
  const api = createBotApi({ clock, root: config.telegramApi })
  try {
    return await work(api)
  } finally {
    api.close()
  }
}
