import LoaderCircle from 'lucide-solid/icons/loader-circle'
import { type JSX, Show, splitProps } from 'solid-js'
import './button.css'
import { KeyHint } from './key-hint.tsx'

export interface ButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'type'> {
  type?: 'button' | 'submit' | 'reset'
  /** `primary` for the main action of a view (one at a time), `quiet` without a border, `danger` for deletion. */
  look?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'small' | 'normal'
  /** In progress: keeps its width and focus, and ignores clicks. */
  isBusy?: boolean
  /** Looks disabled and ignores clicks, but keeps the focus. */
  isUnavailable?: boolean
  /** Shown after the text, such as `mod+enter`. The page handles the key, not the button. */
  keys?: string
  icon?: JSX.Element
}

/** A button. Its type is `button` unless set to `submit`. */
export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, [
    'look',
    'size',
    'isBusy',
    'isUnavailable',
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
      aria-disabled={own.isBusy || own.isUnavailable || undefined}
      onClick={(event) => {
        if (own.isBusy || own.isUnavailable) event.preventDefault()
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

/** A link that looks like a button. */
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
