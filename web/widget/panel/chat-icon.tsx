export const CLOSE = 'M6 6l12 12M18 6L6 18'
export const FILE = 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5'

/** Drawn in place, because pages can forbid images. */
export function ChatIcon(props: { path: string }) {
  return (
    <svg class="chat-panel-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={props.path} />
    </svg>
  )
}
