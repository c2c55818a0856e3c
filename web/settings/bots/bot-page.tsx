import { useNavigate } from '@solidjs/router'
import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage, fieldError } from '../../api/api-problem.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Page, Section } from '../page-layout.tsx'
import { PauseButton } from '../pause-button.tsx'
import { QueryView } from '../query-view.tsx'
import { type Bot, botQuery, botsChanged, saveBot, showBot } from './bot-data.ts'
import { BotNotices } from './bot-notices.tsx'
import { BotReceiving } from './bot-receiving.tsx'
import { BotSettings } from './bot-settings.tsx'
import { BotHealth, BotState } from './bot-state.tsx'
import { TokenField } from './token-field.tsx'

const LIST = '/settings/telegram'
const REFETCH_MS = 5_000

/** The settings of one Telegram bot. */
export function BotPage(props: { id: string }) {
  const query = useQuery(() => ({ ...botQuery(props.id), reconcile: 'id', refetchInterval: REFETCH_MS }))
  return (
    <Page
      title={query.data?.name ?? 'Bot'}
      back={{ href: LIST, name: 'Telegram' }}
      lead={<Show when={query.data}>{(bot) => <Lead bot={bot()} />}</Show>}
      actions={<Show when={query.data}>{(bot) => <Pause bot={bot()} />}</Show>}
    >
      <QueryView query={query} what="the bot">
        {(bot) => (
          <>
            <BotNotices bot={bot()} />
            <Section title="Health" actions={<CheckButton bot={bot()} />}>
              <BotHealth bot={bot()} />
            </Section>
            <BotSettings bot={bot()} />
            <BotReceiving bot={bot()} />
            <Token bot={bot()} />
            <RemoveBot bot={bot()} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Lead(props: { bot: Bot }) {
  const isTold = () => !['active', 'connecting', 'paused'].includes(props.bot.state)
  return (
    <>
      <BotState bot={props.bot} />{' '}
      <a href={`https://t.me/${props.bot.username}`} target="_blank" rel="noopener noreferrer">
        @{props.bot.username}
      </a>{' '}
      <Show when={!isTold()}>{props.bot.detail}</Show>
    </>
  )
}

function Pause(props: { bot: Bot }) {
  const one = () => api.console.bots({ id: props.bot.id })
  return (
    <Show when={props.bot.state !== 'refused'}>
      <PauseButton
        item={props.bot}
        noun="Bot"
        pause={(isPaused) => (isPaused ? ask(one().pause.post()) : ask(one().resume.post()))}
        onChange={showBot}
      />
    </Show>
  )
}

/** Asks Telegram about the bot now, instead of waiting for the next check. */
function CheckButton(props: { bot: Bot }) {
  const check = useMutation(() => ({
    mutationFn: () => ask(api.console.bots({ id: props.bot.id }).check.post()),
    onSuccess: (bot: Bot) => {
      showBot(bot)
      toast(bot.detail)
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <Show when={props.bot.state !== 'paused'}>
      <Button isBusy={check.isPending} onClick={() => check.mutate()}>
        Check now
      </Button>
    </Show>
  )
}

/** Accepts a new token of the same bot. */
function Token(props: { bot: Bot }) {
  const [token, setToken] = createSignal('')
  const replace = useMutation(() => ({
    mutationFn: () => saveBot(props.bot.id, { token: token() }),
    onSuccess: (bot: Bot) => {
      showBot(bot)
      setToken('')
      toast('Token replaced.')
    },
  }))
  return (
    <Section
      title="Token"
      text="Stored encrypted and never shown. Replace it after revoking the old one with @BotFather."
    >
      <CardForm save={replace} fields={['token']} action="Replace token" isUnchanged={token() === ''}>
        <TokenField
          label="New token"
          hint={`It must belong to @${props.bot.username}.`}
          value={token()}
          onInput={setToken}
          error={fieldError(replace.error, 'token')}
        />
      </CardForm>
    </Section>
  )
}

/** Removes a bot permanently, after a confirmation. */
function RemoveBot(props: { bot: Bot }) {
  const [isAsking, setAsking] = createSignal(false)
  const navigate = useNavigate()
  const remove = async () => {
    const { id, username } = props.bot
    await ask(api.console.bots({ id }).delete())
    botsChanged()
    toast(`Removed @${username}.`)
    navigate(LIST)
  }
  return (
    <Section title="Remove" text="Tickets and their messages are kept. The bot itself stays in Telegram.">
      <div>
        <Button onClick={() => setAsking(true)}>Remove bot…</Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking()}
        onClose={() => setAsking(false)}
        title={`Remove @${props.bot.username}?`}
        text="Bellhop stops receiving and sending with this bot, and deletes its token. Its conversations can't be answered until you add it again with its token."
        word="remove"
        action="Remove bot"
        onConfirm={remove}
      />
    </Section>
  )
}
