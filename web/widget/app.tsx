import { createEffect, createRoot, createSignal, Show } from 'solid-js'
import { render } from 'solid-js/web'
import type { App, Identity, Shell } from './contract.ts'
import { ChatBubble } from './panel/chat-bubble.tsx'
import { watchNotices } from './panel/chat-notices.ts'
import { ChatPanel } from './panel/chat-panel.tsx'
import css from './panel/panel.css?inline'
import { provideWidget } from './panel/widget-context.ts'
import { chooseLanguage, fill, loadTexts } from './texts/texts.ts'
import { ApiProblem } from './visitor/visitor-api.ts'
import { createWidgetClient } from './visitor/widget-client.ts'

/** Connects the launcher with the panel. */
export async function mount(shell: Shell): Promise<App> {
  const firstLanguage = chooseLanguage(shell.settings.language)
  const [texts, setTexts] = createSignal(await loadTexts(firstLanguage))
  const [language, setLanguage] = createSignal(firstLanguage)
  const client = shell.isPreview
    ? (await import('./preview/sample-client.ts')).createSampleClient(shell.settings, texts, language)
    : createWidgetClient(shell)
  let isWatching = false
  let stopNotices: (() => void) | undefined
  const place = document.createElement('div')
  shell.frame.prepend(place)
  // A style element would be blocked by the content policies of many pages.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  shell.root.adoptedStyleSheets.push(sheet)

  function open(): void {
    if (client.isAllowed()) client.setOpen(true)
    else console.warn('Bellhop: only users identified by the website can write here.')
  }

  provideWidget({ client, texts, language, shell })
  const removePanel = render(
    () => (
      <>
        <ChatPanel />
        <Show when={client.unread() > 0 && !shell.isPreview}>
          <ChatBubble />
        </Show>
      </>
    ),
    place,
  )
  const stopEffects = createRoot((dispose) => {
    createEffect(() => {
      const unread = client.unread()
      const label = unread === 0 ? texts().open : fill(texts().openUnread, { count: unread })
      shell.setLauncher({ isOpen: client.isOpen(), unread, label: client.isOpen() ? texts().close : label })
    })
    createEffect(() => shell.setHidden(!client.isAllowed()))
    createEffect(() => {
      shell.frame.lang = language()
    })
    createEffect(() => client.conversations.list().length > 0 && watchMessages())
    return dispose
  })
  shell.launcher.onclick = () => (client.isOpen() ? client.setOpen(false) : open())

  /** There is nothing to notice before the first message. */
  function watchMessages(): void {
    if (isWatching || shell.isPreview) return
    isWatching = true
    stopNotices = watchNotices(client, texts, shell)
  }

  function onUnread(run: unknown): void {
    if (typeof run !== 'function') return
    createRoot(() => createEffect(() => run(client.unread())))
  }

  return {
    run(command, [first, second]) {
      switch (command) {
        case 'open':
          open()
          return true
        case 'close':
          client.setOpen(false)
          return true
        case 'identify':
          void identify(client.identify, (first ?? {}) as Identity)
          return true
        case 'logout':
          client.logout()
          return true
        case 'on':
          if (first === 'unread') onUnread(second)
          return first === 'unread'
        default:
          return false
      }
    },
    update(settings) {
      client.setSettings(settings)
      const next = chooseLanguage(settings.language)
      if (next !== language()) void setTextsOf(next)
    },
    remove() {
      client.stop()
      stopNotices?.()
      stopEffects()
      removePanel()
      place.remove()
    },
  }

  async function setTextsOf(next: string): Promise<void> {
    setLanguage(next)
    const loaded = await loadTexts(next)
    if (language() === next) setTexts(() => loaded)
  }
}

const IDENTIFY_AGAIN_MS = 5_000

/** Without a connection it is tried again. What is wrong with the identity is in the console already. */
async function identify(run: (identity: Identity) => Promise<void>, identity: Identity): Promise<void> {
  try {
    await run(identity)
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.isTemporary) setTimeout(identify, error.pauseMs || IDENTIFY_AGAIN_MS, run, identity)
  }
}
