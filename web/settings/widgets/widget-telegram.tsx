import { useMutation, useQuery } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { errorMessage } from '../../api/api-problem.ts'
import { DocsLink } from '../../ui/docs-link.tsx'
import { Select } from '../../ui/select.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { botsQuery } from '../bots/bot-data.ts'
import { Section } from '../page-layout.tsx'
import { saveWidget, showWidget, type Widget } from './widget-data.ts'

const NONE = 'none'

/** The bot in which visitors can continue their conversation. Nothing without a bot. */
export function WidgetTelegram(props: { widget: Widget }) {
  const query = useQuery(() => botsQuery)
  const bots = () => query.data?.data ?? []
  const options = () => [
    { value: NONE, label: 'Not offered' },
    ...bots().map(({ id, username }) => ({ value: id, label: `@${username}` })),
  ]
  const save = useMutation(() => ({
    mutationFn: (telegramBotId: string) => saveWidget(props.widget.id, { telegramBotId }),
    onSuccess: (widget: Widget) => {
      showWidget(widget)
      toast('Saved.')
    },
    onError: (error) => toastError(errorMessage(error)),
  }))
  const chosen = () => (save.isPending ? save.variables : props.widget.telegramBotId)
  return (
    <Show when={bots().length > 0}>
      <Section
        title="Continue in Telegram"
        text="Visitors find this in the menu of their conversation. What they write there stays in the same ticket."
        actions={<DocsLink to="/docs/telegram#from-the-website">How it works</DocsLink>}
      >
        <div class="card">
          <Select
            label="Bot"
            options={options()}
            value={options().some(({ value }) => value === chosen()) ? chosen() : NONE}
            onChange={(id) => save.mutate(id === NONE ? '' : id)}
          />
        </div>
      </Section>
    </Show>
  )
}
