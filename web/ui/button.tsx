import LoaderCircle from 'lucide-solid/icons/loader-circle'
import { type JSX, Show, splitProps } from 'solid-js'
import './button.css'
import { KeyHint } from './key-hint.tsx'

export interface ButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  type?: 'button' | 'submit' | 'reset'
  /** `primary` is what this view is for (one at a time), `quiet` has no border, `danger` deletes. */
  look?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'small' | 'normal'
  /** Under way: it keeps its width and its focus, and does nothing when pressed. */
  isBusy?: boolean
  /** Shown behind the text, such as `mod+enter`; the page listens for it, not the button. */
  keys?: string
  icon?: JSX.Element
}

/** A button. It is no submit button unless `type="submit"` says so. */
export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, [
    'look',
    'size',
    'isBusy',
    'keys',
    'icon',
    'children',
    'class',
    'onClick',
    'type',
  ])
  return (
    <button
      {...rest}
      type={own.type ?? 'button'}
      class={`button ${own.class ?? ''}`}
      data-look={own.look ?? 'plain'}
      data-size={own.size ?? 'normal'}
      aria-busy={own.isBusy || undefined}
      aria-disabled={own.isBusy || undefined}
      onClick={(event) => {
        if (own.isBusy) event.preventDefault()
        else if (typeof own.onClick === 'function') own.onClick(event)
      }}
    >
      <Show when={own.isBusy}>
        <LoaderCircle class="button-busy" />
      </Show>
      <span class="button-content">
        {own.icon}
        {own.children}
        <Show when={own.keys}>{(keys) => <KeyHint keys={keys()} />}</Show>
      </span>
    </button>
  )
}

interface ButtonLinkProps {
  href: string
  look?: ButtonProps['look']
  icon?: JSX.Element
  children: JSX.Element
}

/** A link with the looks of a button: it leads somewhere, and does nothing. */
export function ButtonLink(props: ButtonLinkProps) {
  return (
    <a class="button" data-look={props.look ?? 'plain'} data-size="normal" href={props.href}>
      <span class="button-content">
        {props.icon}
        {props.children}
      </span>
    </a>
  )
}
