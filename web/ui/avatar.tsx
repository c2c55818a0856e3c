import Bot from 'lucide-solid/icons/bot'
import { createSignal, Show } from 'solid-js'
import './badge.css'

const COLORS = 6

interface AvatarProps {
  name: string
  /** Determines the color, so that it stays when the name changes. Without it the name does. */
  id?: string
  size?: 'small' | 'normal' | 'large'
  /** Customers have a square one, agents a round one. */
  isCustomer?: boolean
  /** Hidden from screen readers, for use next to the name. */
  isDecorative?: boolean
}

/** The programs among the agents, by id, with the path of their picture. */
export const [programs, setPrograms] = createSignal<ReadonlyMap<string, string | undefined>>(new Map())

/** The initials of a person on their color. A program has its picture, and a mark. */
export function Avatar(props: AvatarProps) {
  const color = () => colorOf(props.id ?? props.name)
  const isProgram = () => programs().has(props.id ?? '')
  return (
    <span
      class="avatar"
      data-size={props.size ?? 'normal'}
      data-customer={props.isCustomer || undefined}
      style={{ background: `var(--person-${color()}-soft)`, color: `var(--person-${color()}-ink)` }}
      role="img"
      aria-label={props.name}
      aria-hidden={props.isDecorative || undefined}
      title={props.isDecorative ? undefined : props.name}
    >
      <Show when={programs().get(props.id ?? '')} fallback={initialsOf(props.name)}>
        {(path) => <img src={path()} alt="" />}
      </Show>
      <Show when={isProgram()}>
        <Bot class="avatar-mark" />
      </Show>
    </span>
  )
}

/** "Ana Maria Pires" is AP, "cy@example.com" C. */
export function initialsOf(name: string): string {
  const words =
    name
      .split('@', 1)
      .join('')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words.slice(0, 1)
  const initials = ends.map((word = '') => [...word].slice(0, 1).join(''))
  return initials.join('').toLocaleUpperCase() || '?'
}

function colorOf(id: string): number {
  let sum = 7
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return (sum % COLORS) + 1
}
