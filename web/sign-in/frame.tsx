import { useLocation } from '@solidjs/router'
import { type Accessor, createEffect, createSignal, type JSX, Show } from 'solid-js'
import './frame.css'

interface FrameProps {
  /** The heading of the page and the title of the tab. */
  title: string
  /** A sentence below the heading. */
  text?: JSX.Element
  children: JSX.Element
}

/** The layout of all pages before sign-in. */
export function Frame(props: FrameProps) {
  createEffect(() => {
    document.title = `${props.title} · Bellhop`
  })
  return (
    <main class="frame">
      <div class="frame-card">
        <Bell />
        <h1>{props.title}</h1>
        <Show when={props.text}>
          <p class="frame-text">{props.text}</p>
        </Show>
        <div class="frame-body">{props.children}</div>
      </div>
    </main>
  )
}

function Bell() {
  return (
    <svg class="frame-bell" viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 21.5a9 9 0 0 1 18 0zM5.5 25h21M16 12.5V9M13.5 8.5h5" />
    </svg>
  )
}

/**
 * The token after `#` of a one-time link. It is removed from the address bar at once, so that it appears in no history
 * or screenshot.
 */
export function createLinkToken(): Accessor<string> {
  const location = useLocation()
  const [token, setToken] = createSignal(window.location.hash.slice(1))
  createEffect(() => {
    // Read from the router, to notice a second link opened in the same tab.
    const next = location.hash.slice(1)
    if (next === '') return
    setToken(next)
    window.history.replaceState(window.history.state, '', window.location.pathname)
  })
  return token
}
