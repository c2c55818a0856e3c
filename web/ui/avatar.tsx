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

/** The initials of a person on their color. */
export function Avatar(props: AvatarProps) {
  const color = () => colorOf(props.id ?? props.name)
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
      {initialsOf(props.name)}
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
