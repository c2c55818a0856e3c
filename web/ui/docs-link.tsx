import type { JSX } from 'solid-js'

/** A link to the documentation. It opens in a new tab, so that nothing on this page is lost. */
export function DocsLink(props: { to: `/docs${string}`; children: JSX.Element }) {
  return (
    <a href={props.to} target="_blank" rel="noreferrer">
      {props.children}
    </a>
  )
}
