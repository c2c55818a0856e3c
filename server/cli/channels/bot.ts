import type { Command } from 'commander'
import { type BotApi, createBotApi } from '../../channels/telegram/bot-api/bot-api.ts'
import { pauseBot, removeBot, resumeBot } from '../../channels/telegram/bots/bot-state.ts'
import { createBot, listBots, readBot } from '../../channels/telegram/bots/bots.ts'
import { viewBot, viewBots } from '../../channels/telegram/bots/views.ts'
import type { Deps } from '../../deps.ts'
import { addListAndShow, addOfOrg, addStateCommands } from '../commands.ts'
import { requireSecret } from '../option-values.ts'
import { formatTime, print, printJson } from '../output.ts'

export function addBot(program: Command): void {
  const bot = program.command('bot').description('connect and manage Telegram bots')
  addOfOrg(bot, 'add', {
    description: 'check the token of a bot with Telegram, connect the bot, and print its id',
    run: (deps, orgId, { name, tokenFile }: AddOptions) => {
      const token = requireSecret(tokenFile, 'token')
      return withApi(deps, async (api) => viewBot(await createBot(deps, api, orgId, { name, token })))
    },
    print: (made, { json }) => (json ? printJson(made) : print(made.id)),
  })
    .requiredOption('--name <name>', 'a name for your team')
    .requiredOption('--token-file <file>', 'file with the token from @BotFather; - reads standard input')
    .option('--json', 'print JSON')
  addListAndShow(bot, {
    what: 'bot',
    list: listBots,
    read: readBot,
    viewAll: viewBots,
    described: {
      list: 'list the bots of an organization with their state, oldest first',
      show: 'show the settings and the health of a bot',
    },
    columns: {
      ID: ({ id }) => id,
      BOT: ({ username }) => `@${username}`,
      NAME: ({ name }) => name,
      STATE: ({ state }) => state,
      'LAST MESSAGE IN': ({ lastUpdateAt }) => formatTime(lastUpdateAt),
      'LAST MESSAGE OUT': ({ lastSentAt }) => formatTime(lastSentAt),
      DETAIL: ({ detail }) => detail,
    },
    whenEmpty: 'No bots yet. Connect one with: bellhop bot add',
    facts: ({ queue, newTicketAfterDays: days, ...one }) => ({
      id: one.id,
      bot: `@${one.username}`,
      name: one.name,
      state: `${one.state}: ${one.detail}`,
      'receives by': one.receives === 'webhook' ? 'webhook' : 'long polling',
      greeting: one.greeting || 'the default',
      'after a resolved ticket': days === null ? 'the reopen rule' : `a new ticket after ${days} days`,
      'shows typing': one.showsTyping ? 'yes' : 'no',
      'last message in': formatTime(one.lastUpdateAt),
      'last message out': formatTime(one.lastSentAt),
      'last checked': formatTime(one.lastCheckedAt),
      queue: `${queue.incoming} to process, ${queue.outgoing} to send`,
      'unknown updates': String(one.unknownUpdates),
      'failing since': formatTime(one.receiveFailingSince ?? one.sendFailingSince),
    }),
  })
  addStateCommands(bot, 'bot', {
    pause: { description: 'stop receiving and sending messages until the bot is resumed', run: pauseBot },
    resume: { description: 'receive and send messages again', run: resumeBot },
    remove: {
      description: 'remove a bot and its token; its tickets stay',
      run: (deps, orgId, id) => withApi(deps, (api) => removeBot(deps, api, orgId, id)),
    },
  })
}

interface AddOptions {
  name: string
  tokenFile: string
  json?: true
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
