import type { mount } from './app.tsx'
import type { App, WidgetSettings } from './contract.ts'
import { showLauncher } from './launcher.ts'
import { native } from './native-globals.ts'

/** The file of the app, whose name changes with its content. Filled in by the build. */
declare const APP_FILE: string

type Command = [name: string, ...args: unknown[]]
type Page = ((...command: Command) => void) & { q?: ArrayLike<unknown>[]; isLoaded?: boolean }
declare global {
  interface Window {
    Bellhop?: Page
  }
}

const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000

const script =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[data-key][src*="widget.js"]')
const page = window.Bellhop
if (script && !page?.isLoaded) start(script, page)

function start({ src, dataset }: HTMLScriptElement, before: Page | undefined): void {
  const { origin } = new URL(src)
  const key = dataset.key ?? ''
  /** Commands that the app runs once it has loaded. */
  let waiting: Command[] = []
  let app: App | undefined
  let loading: (() => void) | undefined
  let preview: { update(settings: WidgetSettings): void; remove(): void } | undefined

  const bellhop: Page = (...command) => {
    if (command[0] === 'preview')
      showPreview(command[1] as WidgetSettings | null, command[2] as Element | undefined)
    else if (!app) {
      waiting.push(command)
      if (command[0] === 'open') loading?.()
    } else if (!app.run(command[0], command.slice(1))) {
      console.warn(`Bellhop: unknown command "${command[0]}".`)
    }
  }
  bellhop.isLoaded = true
  window.Bellhop = bellhop
  for (const command of before?.q ?? []) bellhop(...(Array.from(command) as Command))
  if (dataset.preview === undefined) void show()

  async function show(): Promise<void> {
    const settings = await readSettings()
    if (settings) open(settings, false)
  }

  function showPreview(settings: WidgetSettings | null, into?: Element): void {
    if (settings && preview) preview.update(settings)
    else {
      preview?.remove()
      preview = settings ? open(settings, true, into) : undefined
    }
  }

  function open(settings: WidgetSettings, isPreview: boolean, into?: Element) {
    let current = settings
    const { update, remove, ...shown } = showLauncher(settings, into)
    let isRequested = false
    let isRemoved = false
    loading = () => {
      shown.launcher.setAttribute('aria-busy', 'true')
      if (!isRequested) void load()
    }
    shown.launcher.onclick = () => bellhop('open')
    if (isPreview) void load()
    else if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 4_000 })
    else setTimeout(load, 1_000)

    async function load(): Promise<void> {
      if (isRequested || isRemoved) return
      isRequested = true
      const loaded = await importApp()
      if (!loaded || isRemoved) {
        isRequested = false
        return
      }
      shown.launcher.removeAttribute('aria-busy')
      shown.launcher.onclick = null
      app = await loaded.mount({ ...shown, key, origin, settings: current, native, isPreview })
      if (isPreview) app.update(current)
      const commands = waiting
      waiting = []
      for (const command of commands) bellhop(...command)
    }

    return {
      update(next: WidgetSettings) {
        current = next
        update(next)
        app?.update(next)
      },
      remove() {
        isRemoved = true
        app?.remove()
        app = undefined
        remove()
      },
    }
  }

  /** After an update of the server, a loader of the browser's cache still names the file of before. */
  async function importApp(): Promise<{ mount: typeof mount } | undefined> {
    for (const file of [APP_FILE, `app.js?${Date.now()}`]) {
      try {
        return await import(/* @vite-ignore */ `${origin}/widget/assets/${file}`)
      } catch (error) {
        console.warn(`Bellhop: ${file} didn't load.`, error)
      }
    }
    return undefined
  }

  /** Returns nothing if the widget must not be shown here. */
  async function readSettings(): Promise<WidgetSettings | undefined> {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      try {
        const response = await native('fetch')(`${origin}/widget/${encodeURIComponent(key)}/settings`)
        if (response.ok) return await response.json()
        if (response.status < 500 && response.status !== 429) {
          const { detail } = await response.json()
          console.error(`Bellhop: the widget isn't shown. ${detail}`)
          return undefined
        }
      } catch {
        // The server can't be reached, or its response isn't from Bellhop.
      }
      await new (native('Promise'))((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    }
  }
}
