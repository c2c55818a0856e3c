const PATHS = {
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  attach:
    'M20 11.5l-8 8a5 5 0 0 1-7.1-7.1l8.3-8.3a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.2a1.7 1.7 0 0 1-2.4-2.4l7.4-7.3',
  send: 'M12 19V5M5.5 11.5L12 5l6.5 6.5',
  file: 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5',
  write: 'M4 20h4L19.5 8.5a2.1 2.1 0 0 0-3-3L5 17z',
  chevron: 'M9 5l7 7-7 7',
}

/** Drawn in place, because pages can forbid images. */
export function ChatIcon(props: { name: keyof typeof PATHS }) {
  return (
    <svg class="chat-panel-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[props.name]} />
    </svg>
  )
}
