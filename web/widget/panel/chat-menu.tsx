import { createSignal, onCleanup, onMount, Show } from 'solid-js'
import { useWidget } from './widget-context.ts'

/** Sound, and where a conversation continues, or ends. */
export function ChatMenu(props: { button: HTMLButtonElement; onClose(): void }) {
  const { client, texts, shell } = useWidget()
  let menu!: HTMLDivElement
  const [telegramUrl, setTelegramUrl] = createSignal('')
  const id = client.settings().telegram && client.conversation()?.id
  // Before the click, because browsers block a window that opens later. Refused once the conversation continues there.
  if (id)
    client.api?.call<{ url: string }>('POST', `conversations/${id}/telegram`).then(
      ({ url }) => setTelegramUrl(url),
      () => {},
    )

  function closeOutside(event: Event): void {
    const path = event.composedPath()
    if (!path.includes(menu) && !path.includes(props.button)) props.onClose()
  }
  shell.root.addEventListener('pointerdown', closeOutside)
  onCleanup(() => shell.root.removeEventListener('pointerdown', closeOutside))
  onMount(() => {
    menu.addEventListener('keydown', onKeyDown)
    menu.querySelector('button')?.focus()
  })

  function choose(run?: () => unknown): void {
    props.button.focus()
    props.onClose()
    run?.()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    choose()
  }

  const item = (text: () => string, run: () => unknown) => (
    <button type="button" onClick={() => choose(run)}>
      {text()}
    </button>
  )
  return (
    <div ref={menu} class="chat-menu">
      <Show when={client.settings().sound}>
        {item(
          () => (client.isMuted() ? texts().noticesOn : texts().noticesOff),
          () => client.setMuted(!client.isMuted()),
        )}
      </Show>
      {item(
        () => texts().newConversation,
        () => client.go('new'),
      )}
      <Show when={telegramUrl()}>
        {item(
          () => texts().telegram,
          () => window.open(telegramUrl(), '_blank', 'noopener'),
        )}
      </Show>
      <Show when={client.conversation()?.state === 'open'}>
        {item(() => texts().end, client.endConversation)}
      </Show>
    </div>
  )
}
