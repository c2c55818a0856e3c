import { createEffect, createSignal, onCleanup, onMount, Show } from 'solid-js'
import { fill } from '../texts/texts.ts'
import { ChatComposer } from './chat-composer.tsx'
import { ChatIcon } from './chat-icon.tsx'
import css from './chat-panel.css?inline'
import { ChatThread } from './chat-thread.tsx'
import { adoptStyles, lazyPart } from './lazy-part.tsx'
import { useWidget } from './widget-context.ts'

const ChatList = lazyPart(async () => (await import('./chat-list.tsx')).ChatList)
const ChatMenu = lazyPart(async () => (await import('./chat-menu.tsx')).ChatMenu)

const DAY_MS = 86_400_000

/** The window of the widget. It is made when it is opened first, and stays. */
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
  const { client, texts, language, shell } = useWidget()
  adoptStyles(shell, css)
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

  /** A field would open the keyboard of a phone over the greeting. */
  function focusFirst(): void {
    const field = matchMedia('(pointer: coarse)').matches ? null : panel.querySelector('textarea')
    ;(field ?? panel).focus({ preventScroll: true })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !event.isComposing) client.setOpen(false)
  }

  /** A phone's keyboard covers the lower part of the page. */
  function fitViewport(): void {
    const { visualViewport } = window
    if (!visualViewport) return
    panel.style.setProperty('--visible-height', `${visualViewport.height}px`)
    panel.style.setProperty('--visible-top', `${visualViewport.offsetTop}px`)
  }

  onMount(() => {
    fitViewport()
    visualViewport?.addEventListener('resize', fitViewport)
    visualViewport?.addEventListener('scroll', fitViewport)
    onCleanup(() => {
      visualViewport?.removeEventListener('resize', fitViewport)
      visualViewport?.removeEventListener('scroll', fitViewport)
    })
  })

  function status(): string {
    const { isOpen, opensAt } = client.settings()
    if (!client.isConnected()) return texts().reconnecting
    if (isOpen) return texts().online
    return opensAt ? fill(texts().backAt, { time: dayAndTime(opensAt, language()) }) : ''
  }

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
      classList={{ 'is-preview': shell.isPreview }}
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
            <ChatIcon name="back" />
          </button>
        </Show>
        <div class="chat-panel-names">
          <h2 class="chat-panel-title" dir="auto">
            {client.settings().title || texts().conversations}
          </h2>
          <Show when={status()}>
            <p
              class="chat-panel-status"
              classList={{ 'is-open': client.settings().isOpen && client.isConnected() }}
            >
              {status()}
            </p>
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
          <ChatIcon name="more" />
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
          <ChatIcon name="close" />
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
      <Show when={isDropping()}>
        <p class="chat-panel-drop">{texts().dropFiles}</p>
      </Show>
    </section>
  )
}

function dayAndTime(iso: string, language: string): string {
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  const isThisWeek = date.getTime() - Date.now() < 6 * DAY_MS
  return new Intl.DateTimeFormat(language, {
    ...(!isToday && (isThisWeek ? { weekday: 'long' } : { day: 'numeric', month: 'long' })),
    hour: 'numeric',
    minute: '2-digit',
  }).format(date)
}
