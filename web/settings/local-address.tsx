import { Show } from 'solid-js'
import { DocsLink } from '../ui/docs-link.tsx'

/** Says that others cannot open a link, or load a script, because the server doesn't know its public address. */
export function LocalAddress(props: { url: string; what: string }) {
  return (
    <Show when={isLocal(props.url)}>
      <p class="notice">
        {props.what} works on this machine only. Set <code>BELLHOP_URL</code> to the address that people use
        for Bellhop. <DocsLink to="/docs/settings">Settings</DocsLink>
      </p>
    </Show>
  )
}

function isLocal(url: string): boolean {
  const name = URL.parse(url)?.hostname ?? ''
  return name === 'localhost' || name.startsWith('127.') || name === '[::1]' || name === '0.0.0.0'
}
