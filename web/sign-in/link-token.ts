import { useLocation } from '@solidjs/router'
import { type Accessor, createEffect, createSignal } from 'solid-js'

/**
 * The secret behind `#` of a one-time link. It is taken out of the address bar at once, so that it stays in no history
 * and on no screenshot.
 */
export function createLinkToken(): Accessor<string> {
  const location = useLocation()
  const [token, setToken] = createSignal(window.location.hash.slice(1))
  createEffect(() => {
    // Read from the router, so that a second link in the same tab is noticed.
    const given = location.hash.slice(1)
    if (given === '') return
    setToken(given)
    window.history.replaceState(window.history.state, '', window.location.pathname)
  })
  return token
}
