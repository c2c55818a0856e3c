import { onCleanup, onMount, Show } from 'solid-js'
import css from './chat-menu.css?inline'
import { adoptStyles } from './lazy-part.tsx'
import { useWidget } from './widget-context.ts'

/** Sound, and the end of a conversation. */
export function ChatMenu(props: { button: HTMLButtonElement; onClose(): void }) {
  const { client, texts, shell } = useWidget()
  adoptStyles(shell, css)
  let menu!: HTMLDivElement

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

  return (
    <div ref={menu} class="chat-menu">
      <Show when={client.settings().sound}>
        <button type="button" onClick={() => choose(() => client.setMuted(!client.isMuted()))}>
          {client.isMuted() ? texts().soundOn : texts().soundOff}
        </button>
      </Show>
      <button type="button" onClick={() => choose(() => client.go('new'))}>
        {texts().newConversation}
      </button>
      <Show when={client.conversation()?.state === 'open'}>
        <button type="button" onClick={() => choose(client.endConversation)}>
          {texts().end}
        </button>
      </Show>
    </div>
  )
}
