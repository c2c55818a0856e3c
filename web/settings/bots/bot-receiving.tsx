import { useMutation } from '@tanstack/solid-query'
import { errorMessage } from '../../api/api-problem.ts'
import { DocsLink } from '../../ui/docs-link.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Section } from '../page-layout.tsx'
import { type Bot, saveBot, showBot } from './bot-data.ts'

type Receives = Bot['receives']

const WAYS: { value: Receives; label: string }[] = [
  { value: 'polling', label: 'Long polling' },
  { value: 'webhook', label: 'Webhook' },
]
const HINTS: Record<Receives, string> = {
  polling:
    'Bellhop asks Telegram for new messages. This works behind a firewall and needs no public address.',
  webhook: 'Telegram calls this server at a secret URL. The server needs a public HTTPS address.',
}

/** Whether Bellhop fetches messages, or Telegram delivers them. */
export function BotReceiving(props: { bot: Bot }) {
  const change = useMutation(() => ({
    mutationFn: (receives: Receives) => saveBot(props.bot.id, { receives }),
    onSuccess: (bot: Bot) => {
      showBot(bot)
      toast(bot.receives === 'webhook' ? 'Telegram now calls this server.' : 'Bellhop now polls Telegram.')
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  return (
    <Section
      title="Receiving"
      text={HINTS[props.bot.receives]}
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
