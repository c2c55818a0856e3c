import { useMutation } from '@tanstack/solid-query'
import { Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { type Bot, showBot } from './bot-data.ts'

/** What is wrong with a bot, and what to do about it. */
export function BotNotices(props: { bot: Bot }) {
  return (
    <>
      <Switch>
        <Match when={props.bot.state === 'webhook'}>
          <WebhookElsewhere bot={props.bot} />
        </Match>
        <Match when={props.bot.state === 'refused'}>
          <p class="notice" data-tone="red">
            {props.bot.detail}
          </p>
        </Match>
        <Match when={['failing', 'taken'].includes(props.bot.state)}>
          <p class="notice">{props.bot.detail}</p>
        </Match>
      </Switch>
      <Show when={props.bot.missedSince}>
        {(since) => (
          <div class="notice notice-row">
            <p>
              Bellhop didn't reach Telegram for more than a day after <RelativeTime at={since()} isLong />.
              Telegram keeps messages for 24 hours, so older ones from that time are missing.
            </p>
            <DismissButton bot={props.bot} />
          </div>
        )}
      </Show>
    </>
  )
}

/** While a webhook is set, Telegram gives messages to no one else. */
function WebhookElsewhere(props: { bot: Bot }) {
  const remove = useMutation(() => ({
    mutationFn: () => ask(api.console.bots({ id: props.bot.id }).webhook.remove.post()),
    onSuccess: (bot: Bot) => {
      showBot(bot)
      toast('Webhook removed. Bellhop receives the messages now.')
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <div class="notice notice-row">
      <p>{props.bot.detail}</p>
      <Button size="small" isBusy={remove.isPending} onClick={() => remove.mutate()}>
        Remove the webhook
      </Button>
    </div>
  )
}

function DismissButton(props: { bot: Bot }) {
  const dismiss = useMutation(() => ({
    mutationFn: () => ask(api.console.bots({ id: props.bot.id }).missed.dismiss.post()),
    onSuccess: showBot,
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <Button size="small" isBusy={dismiss.isPending} onClick={() => dismiss.mutate()}>
      Dismiss
    </Button>
  )
}
