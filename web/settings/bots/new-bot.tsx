import { useNavigate } from '@solidjs/router'
import { useMutation } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toaster.tsx'
import { showBot } from './bot-data.ts'
import { TokenField } from './token-field.tsx'

/** Adds a bot by its token, then opens its page. */
export function NewBot(props: { isOpen: boolean; onClose: () => void }) {
  return (
    <Show when={props.isOpen}>
      <NewBotDialog onClose={() => props.onClose()} />
    </Show>
  )
}

function NewBotDialog(props: { onClose: () => void }) {
  const navigate = useNavigate()
  const [token, setToken] = createSignal('')
  const add = useMutation(() => ({
    mutationFn: () => ask(api.console.bots.post({ token: token() })),
    onSuccess: (bot) => {
      showBot(bot)
      props.onClose()
      toast(`Added @${bot.username}.`)
      navigate(`/settings/telegram/${bot.id}`)
    },
  }))
  askBeforeLeaving(() => !add.data && token() !== '')
  return (
    <Dialog
      isOpen
      onClose={() => props.onClose()}
      title="New bot"
      description="In Telegram, send /newbot to @BotFather and answer its questions. It replies with a token."
    >
      <DialogForm save={add} fields={['token']} action="Add bot" onCancel={() => props.onClose()}>
        <TokenField
          label="Token"
          hint="Bellhop checks it with Telegram and encrypts it. It isn't shown again."
          value={token()}
          onInput={setToken}
          error={fieldError(add.error, 'token')}
        />
      </DialogForm>
    </Dialog>
  )
}
