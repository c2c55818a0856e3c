import './unverified-mark.css'

/** After a name or address that a visitor typed into the widget. */
export function UnverifiedMark() {
  return (
    <span class="unverified-mark" title="The visitor typed this, and no one has checked it.">
      not verified
    </span>
  )
}
