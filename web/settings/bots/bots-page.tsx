import { useNavigate } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import Send from 'lucide-solid/icons/send'
import { api, ask } from '../../api/api.ts'
import { createForm } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { StateBadge } from '../detail-list.tsx'
import { Ago, Entry } from '../entry.tsx'
import { ListPage } from '../query-view.tsx'
import { BOT_STATES, BOTS_PAGE, type Bot, bots, isQuiet, queueSentence, TokenField } from './bot-data.tsx'

const REFETCH_MS = 10_000

/** The Telegram bots of the organization with their health. */
export function BotsPage() {
  const query = useQuery(() => ({ ...bots.list, reconcile: 'id', refetchInterval: REFETCH_MS }))
  return (
    <ListPage
      title="Telegram"
      lead={
        <>
          Messages to these bots become tickets, and replies arrive in the same chat.{' '}
          <DocsLink to="/docs/telegram">Connect a Telegram bot</DocsLink> explains each step.
        </>
      }
      query={query}
      what="bots"
      label="Bots"
      add={{ text: 'Add bot', dialog: (close) => <NewBot onClose={close} /> }}
      empty={{
        icon: <Send />,
        title: 'No bots yet',
        text: 'Create a bot with @BotFather in Telegram, then add it here with its token.',
      }}
      row={(bot) => <BotRow bot={bot} />}
    />
  )
}

function BotRow(props: { bot: Bot }) {
  const queue = () => props.bot.queue.incoming + props.bot.queue.outgoing
  return (
    <Entry
      href={`${BOTS_PAGE.href}/${props.bot.id}`}
      title={
        <>
          {props.bot.name}
          <StateBadge state={BOT_STATES[props.bot.state]} />
        </>
      }
      facts={[
        `@${props.bot.username}`,
        <Ago words="Last message in" at={props.bot.lastUpdateAt} otherwise="No message in yet" />,
        <Ago words="Last message out" at={props.bot.lastSentAt} otherwise="No message out yet" />,
        queue() > 0 && queueSentence(props.bot),
      ]}
      error={!isQuiet(props.bot) && props.bot.detail}
    />
  )
}

/** Adds a bot by its token, then opens its page. */
function NewBot(props: { onClose: () => void }) {
  const navigate = useNavigate()
  const form = createForm({
    values: () => ({ token: '' }),
    save: ({ token }) => ask(api.console.bots.post({ token })),
    onSaved: (bot) => {
      bots.show(bot)
      props.onClose()
      navigate(`${BOTS_PAGE.href}/${bot.id}`)
      return `Added @${bot.username}.`
    },
  })
  return (
    <FormDialog
      form={form}
      title="New bot"
      description="In Telegram, send /newbot to @BotFather and answer its questions. It replies with a token."
      action="Add bot"
      onClose={props.onClose}
    >
      <TokenField
        {...form.text('token')}
        label="Token"
        hint="Bellhop checks it with Telegram and encrypts it. It isn't shown again."
      />
    </FormDialog>
  )
}
