import { useLocation } from '@solidjs/router'
import { type Accessor, createEffect, createSignal } from 'solid-js'

/**
 * The token after `#` of a one-time link. It is removed from the address bar at once, so that it appears in no history
 * or screenshot.
 */
export function createLinkToken(): Accessor<string> {
  const location = useLocation()
  const [token, setToken] = createSignal(window.location.hash.slice(1))
  createEffect(() => {
    // Read from the router, to notice a second link opened in the same tab.
    const given = location.hash.slice(1)
    if (given === '') return
    setToken(given)
    window.history.replaceState(window.history.state, '', window.location.pathname)
  })
  return token
}
