import { type Component, createMemo, createSignal, onCleanup, untrack } from 'solid-js'
import type { Shell } from '../contract.ts'

const RETRY_MS = 5_000

/** A part of the panel that many visitors never need. It is loaded when it is shown first. */
export function lazyPart<Props extends object>(load: () => Promise<Component<Props>>): Component<Props> {
  const [part, setPart] = createSignal<Component<Props>>()
  let isLoading = false

  async function require(): Promise<void> {
    if (isLoading || untrack(part)) return
    isLoading = true
    try {
      const loaded = await load()
      setPart(() => loaded)
    } catch {
      // Without a connection, for example.
    }
    isLoading = false
  }

  return (props) => {
    void require()
    const retry = setInterval(require, RETRY_MS)
    onCleanup(() => clearInterval(retry))
    const shown = createMemo(() => {
      const loaded = part()
      return loaded && untrack(() => loaded(props))
    })
    return <>{shown()}</>
  }
}

const adopted = new WeakMap<ShadowRoot, Set<string>>()

/** A style element would be blocked by the content policies of many pages. */
export function adoptStyles({ root }: Shell, css: string): void {
  const known = adopted.get(root) ?? new Set()
  adopted.set(root, known)
  if (known.has(css)) return
  known.add(css)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
