import CircleAlert from 'lucide-solid/icons/circle-alert'
import type { JSX } from 'solid-js'
import './field.css'

/** An error message. Screen readers read it as soon as it appears. */
export function ErrorText(props: { children: JSX.Element; id?: string }) {
  return (
    <p class="error-text" role="alert" id={props.id}>
      <CircleAlert />
      <span>{props.children}</span>
    </p>
  )
}
