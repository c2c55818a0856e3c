import { Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { ActionButton, useAction } from '../../forms/action.tsx'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Select } from '../../ui/select.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { AssigneeSelect } from '../assignee-select.tsx'
import { AccountPage } from '../channel-account.tsx'
import { DetailList, LastError, timeOr } from '../detail-list.tsx'
import { Section } from '../page.tsx'
import {
  BOT_STATES,
  BOTS_PAGE,
  type Bot,
  bots,
  counted,
  isQuiet,
  queueSentence,
  saveBot,
  TokenField,
} from './bot-data.tsx'

type Receives = Bot['receives']

const DEFAULT_DAYS = '7'
const RULES = [
  { value: 'reopen', label: "Follow the organization's reopen setting" },
  { value: 'days', label: 'Open a new ticket after a number of days' },
] as const
const WAYS: { value: Receives; label: string }[] = [
  { value: 'polling', label: 'Long polling' },
  { value: 'webhook', label: 'Webhook' },
]
const RECEIVING: Record<Receives, string> = {
  polling:
    'Bellhop asks Telegram for new messages. This works behind a firewall and needs no public address.',
  webhook: 'Telegram calls this server at a secret URL. The server needs a public HTTPS address.',
}

/** The settings of one Telegram bot. */
export function BotPage(props: { id: string }) {
  return (
    <AccountPage
      id={props.id}
      noun="bot"
      list={BOTS_PAGE}
      accounts={bots}
      route={(id) => api.console.bots({ id })}
      nameOf={({ name }) => name}
      stateOf={({ state }) => BOT_STATES[state]}
      saysDetail={isQuiet}
      marks={({ username }) => (
        <a href={`https://t.me/${username}`} target="_blank" rel="noopener noreferrer">
          @{username}
        </a>
      )}
      canPause={({ state }) => state !== 'refused'}
      removal={({ username }) => ({
        name: `@${username}`,
        text: 'Tickets and their messages are kept. The bot itself stays in Telegram.',
        warning:
          "Bellhop stops receiving and sending with this bot, and deletes its token. Its conversations can't be answered until you add it again with its token.",
      })}
    >
      {(bot) => (
        <>
          <Notices bot={bot()} />
          <Section title="Health" actions={<CheckButton bot={bot()} />}>
            <Health bot={bot()} />
          </Section>
          <Conversations bot={bot()} />
          <Receiving bot={bot()} />
          <Token bot={bot()} />
        </>
      )}
    </AccountPage>
  )
}

/** What is wrong with a bot, and what to do about it. */
function Notices(props: { bot: Bot }) {
  const route = () => api.console.bots({ id: props.bot.id })
  return (
    <>
      <Switch>
        <Match when={props.bot.state === 'webhook'}>
          <div class="notice row">
            <p>{props.bot.detail}</p>
            {/* While a webhook is set, Telegram gives messages to no one else. */}
            <ActionButton
              size="small"
              run={() => ask(route().webhook.remove.post())}
              onDone={(bot) => {
                bots.show(bot)
                return 'Webhook removed. Bellhop receives the messages now.'
              }}
            >
              Remove the webhook
            </ActionButton>
          </div>
        </Match>
        <Match when={!isQuiet(props.bot)}>
          <p class="notice" data-tone={props.bot.state === 'refused' ? 'red' : 'amber'}>
            {props.bot.detail}
          </p>
        </Match>
      </Switch>
      <Show when={props.bot.missedSince}>
        {(since) => (
          <div class="notice row">
            <p>
              Bellhop didn't reach Telegram for more than a day after <RelativeTime at={since()} isLong />.
              Telegram keeps messages for 24 hours, so older ones from that time are missing.
            </p>
            <ActionButton size="small" run={() => ask(route().missed.dismiss.post())} onDone={bots.show}>
              Dismiss
            </ActionButton>
          </div>
        )}
      </Show>
    </>
  )
}

/** Asks Telegram about the bot now, instead of waiting for the next check. */
function CheckButton(props: { bot: Bot }) {
  return (
    <Show when={props.bot.state !== 'paused'}>
      <ActionButton
        run={() => ask(api.console.bots({ id: props.bot.id }).check.post())}
        onDone={(bot) => {
          bots.show(bot)
          return bot.detail
        }}
      >
        Check now
      </ActionButton>
    </Show>
  )
}

/** When messages last came and went, how many wait, and what is wrong. */
function Health(props: { bot: Bot }) {
  return (
    <DetailList
      items={{
        'Receives by': props.bot.receives === 'webhook' ? 'Webhook' : 'Long polling',
        'Last message in': timeOr(props.bot.lastUpdateAt, 'None yet'),
        'Last message out': timeOr(props.bot.lastSentAt, 'None yet'),
        Queue: queueSentence(props.bot),
        'Last checked': timeOr(props.bot.lastCheckedAt, 'Not yet'),
        'Last error': (
          <LastError
            errors={[props.bot.receiveError, props.bot.sendError]}
            since={props.bot.receiveFailingSince ?? props.bot.sendFailingSince}
          />
        ),
        'Unknown updates': unknownSentence(props.bot),
      }}
    />
  )
}

function unknownSentence({ unknownUpdates }: Bot): string {
  if (unknownUpdates === 0) return 'None'
  const are = unknownUpdates === 1 ? 'It is' : 'They are'
  return `${counted(unknownUpdates, 'update')} that Bellhop doesn't know or couldn't read. ${are} kept for 30 days.`
}

/** The name, the greeting, and what happens to messages. */
function Conversations(props: { bot: Bot }) {
  const form = createForm({
    what: 'the bot',
    values: () => valuesOf(props.bot),
    save: ({ rule, days, defaultAssignee, ...values }) =>
      saveBot(props.bot.id, {
        ...values,
        newTicketAfterDays: rule === 'reopen' ? null : Number(days),
        defaultAssignee: defaultAssignee || null,
      }),
    onSaved: (bot) => {
      bots.show(bot)
      return 'Saved.'
    },
  })
  return (
    <Section title="Conversations">
      <CardForm form={form} action="Save">
        <TextField
          {...form.text('name')}
          label="Name"
          hint="Only your team sees it. Customers see the name you gave @BotFather."
          required
        />
        <TextArea
          {...form.text('greeting')}
          label="Greeting"
          hint="Sent when someone starts the bot. Leave empty for a short greeting with your organization's name."
          rows={3}
        />
        <Select
          {...form.choice('rule')}
          label="When a customer writes after their ticket was resolved"
          options={RULES}
        />
        <Show when={form.values.rule === 'days'}>
          <TextField
            {...form.text('days', 'newTicketAfterDays')}
            label="Days"
            hint="Later messages open a new ticket. Earlier ones reopen the resolved ticket."
            type="number"
            inputmode="numeric"
            min={0}
            max={365}
            required
          />
        </Show>
        <AssigneeSelect {...form.choice('defaultAssignee')} />
        <Checkbox {...form.check('showsTyping')} label="Show “typing…” in the chat while an agent writes" />
      </CardForm>
    </Section>
  )
}

/** The fields of the form. Days are text, as they are typed. */
function valuesOf({ name, greeting, newTicketAfterDays, showsTyping, defaultAssignee }: Bot) {
  const rule: (typeof RULES)[number]['value'] = newTicketAfterDays === null ? 'reopen' : 'days'
  return {
    name,
    greeting,
    rule,
    days: newTicketAfterDays === null ? DEFAULT_DAYS : String(newTicketAfterDays),
    showsTyping,
    defaultAssignee: defaultAssignee ?? '',
  }
}

/** Whether Bellhop fetches messages, or Telegram delivers them. */
function Receiving(props: { bot: Bot }) {
  const change = useAction(
    (receives: Receives) => saveBot(props.bot.id, { receives }),
    (bot) => {
      bots.show(bot)
      return bot.receives === 'webhook' ? 'Telegram now calls this server.' : 'Bellhop now polls Telegram.'
    },
  )
  return (
    <Section
      title="Receiving"
      text={RECEIVING[props.bot.receives]}
      actions={<DocsLink to="/docs/telegram#webhook">When to use a webhook</DocsLink>}
    >
      <div>
        <SegmentedControl
          label="How messages are received"
          options={WAYS}
          value={change.isPending ? change.variables : props.bot.receives}
          onChange={(receives) => change.mutate(receives)}
        />
      </div>
    </Section>
  )
}

/** Accepts a new token of the same bot. */
function Token(props: { bot: Bot }) {
  const form = createForm({
    values: () => ({ token: '' }),
    save: ({ token }) => saveBot(props.bot.id, { token }),
    onSaved: (bot) => {
      bots.show(bot)
      form.reset()
      return 'Token replaced.'
    },
    isUnsaved: () => false,
  })
  return (
    <Section
      title="Token"
      text="Stored encrypted and never shown. Replace it after revoking the old one with @BotFather."
    >
      <CardForm form={form} action="Replace token">
        <TokenField
          {...form.text('token')}
          label="New token"
          hint={`It must belong to @${props.bot.username}.`}
        />
      </CardForm>
    </Section>
  )
}
