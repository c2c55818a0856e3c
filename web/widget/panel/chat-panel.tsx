import { createEffect, createSignal, onMount, Show } from 'solid-js'
import { ChatIcon, CLOSE } from './chat-attachment.tsx'
import { ChatComposer } from './chat-composer.tsx'
import { ChatList } from './chat-list.tsx'
import { ChatMenu } from './chat-menu.tsx'
import { ChatThread } from './chat-thread.tsx'
import { useWidget } from './widget-context.ts'

/** The window of the widget. It is created when it is first opened, and stays. */
export function ChatPanel() {
  const { client } = useWidget()
  const [wasOpen, setWasOpen] = createSignal(false)
  createEffect(() => client.isOpen() && setWasOpen(true))
  return (
    <Show when={wasOpen()}>
      <Panel />
    </Show>
  )
}

function Panel() {
  const { client, texts, shell } = useWidget()
  const [isMenuOpen, setMenuOpen] = createSignal(false)
  const [isDropping, setDropping] = createSignal(false)
  let panel!: HTMLElement
  let more!: HTMLButtonElement
  let addFiles: (files: File[]) => void = () => {}
  let wasOpen = false

  createEffect(() => {
    const isOpen = client.isOpen()
    if (isOpen && !wasOpen && !shell.isPreview) queueMicrotask(focusFirst)
    else if (!isOpen && wasOpen && panel.contains(shell.root.activeElement)) shell.launcher.focus()
    wasOpen = isOpen
  })

  /** Focusing a field would open a phone's keyboard over the greeting. */
  function focusFirst(): void {
    const field = matchMedia('(pointer: coarse)').matches ? null : panel.querySelector('textarea')
    ;(field ?? panel).focus({ preventScroll: true })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.isComposing) client.setOpen(false)
  }

  // A phone's keyboard covers the lower part of the page.
  if (matchMedia('(pointer: coarse)').matches) onMount(() => fitViewport(panel))

  const status = () =>
    client.isConnected() ? client.settings().isOpen && texts().online : texts().reconnecting

  function drop(event: DragEvent): void {
    event.preventDefault()
    setDropping(false)
    addFiles([...(event.dataTransfer?.files ?? [])])
  }

  const isList = () => client.route().page === 'list'
  return (
    <section
      ref={panel}
      class="chat-panel"
      classList={{ 'is-preview': shell.isPreview, 'is-dropping': isDropping() }}
      role="dialog"
      aria-label={client.settings().title || texts().conversations}
      tabindex="-1"
      hidden={!client.isOpen()}
      onKeyDown={onKeyDown}
      onDragOver={(event) => {
        if (client.conversations.list().length === 0) return
        event.preventDefault()
        setDropping(true)
      }}
      onDragLeave={(event) => {
        if (!panel.contains(event.relatedTarget as Node | null)) setDropping(false)
      }}
      onDrop={drop}
    >
      <header class="chat-panel-header">
        <Show when={!isList() && client.conversations.list().length > 0}>
          <button
            type="button"
            class="chat-panel-button"
            aria-label={texts().back}
            onClick={() => client.go({ page: 'list' })}
          >
            <ChatIcon path="M15 5l-7 7 7 7" />
          </button>
        </Show>
        <div class="chat-panel-names">
          <h2 class="chat-panel-title chat-panel-cut">
            <bdi>{client.settings().title || texts().conversations}</bdi>
          </h2>
          <Show when={status()}>
            <p class="chat-panel-status chat-panel-cut chat-panel-soft">{status()}</p>
          </Show>
        </div>
        <button
          ref={more}
          type="button"
          class="chat-panel-button"
          aria-label={texts().more}
          aria-expanded={isMenuOpen()}
          onClick={() => setMenuOpen(!isMenuOpen())}
        >
          <ChatIcon path="M5 12h.01M12 12h.01M19 12h.01" />
        </button>
        <Show when={isMenuOpen()}>
          <ChatMenu button={more} onClose={() => setMenuOpen(false)} />
        </Show>
        <button
          type="button"
          class="chat-panel-button"
          aria-label={texts().close}
          onClick={() => client.setOpen(false)}
        >
          <ChatIcon path={CLOSE} />
        </button>
      </header>
      <Show when={!isList()} fallback={<ChatList />}>
        <ChatThread />
        <ChatComposer
          onReady={(add) => {
            addFiles = add
          }}
        />
      </Show>
    </section>
  )
}

/** Keeps the panel within what the keyboard of a phone leaves of the page. */
function fitViewport(panel: HTMLElement): void {
  const { visualViewport } = window
  if (!visualViewport) return
  function fit(this: VisualViewport): void {
    panel.style.setProperty('--visible-height', `${this.height}px`)
    panel.style.setProperty('--visible-top', `${this.offsetTop}px`)
  }
  fit.call(visualViewport)
  // The panel stays as long as the page.
  visualViewport.addEventListener('resize', fit)
  visualViewport.addEventListener('scroll', fit)
}
