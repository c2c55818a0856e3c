/** Changes of size that a frame follows. A mail whose height depends on its frame would grow forever. */
const MAX_FITS = 60
/** A wide mail is made smaller, but not so small that no one can read it. Wider ones scroll. */
const MIN_ZOOM = 0.6
const MAX_HEIGHT_PX = 30_000

/** Keeps a frame as high as the mail in it, and the mail as wide as the frame. Returns the function that ends it. */
export function fitFrame(frame: HTMLIFrameElement, onFit: (heightPx: number) => void): () => void {
  const { contentDocument, contentWindow } = frame
  if (!contentDocument || !contentWindow) return () => {}
  const { documentElement: root, body } = contentDocument
  let fits = 0
  let width = 0
  let zoom = 1

  function fit(): void {
    if (frame.clientWidth !== width) {
      width = frame.clientWidth
      fits = 0
      body.style.zoom = ''
      const needed = root.scrollWidth
      zoom = width > 0 && needed > width + 1 ? Math.max(MIN_ZOOM, width / needed) : 1
      if (zoom < 1) body.style.zoom = String(zoom)
    }
    fits += 1
    if (fits > MAX_FITS) return
    const scrollBar = root.scrollWidth > root.clientWidth + 1 ? frame.clientHeight - root.clientHeight : 0
    const height = Math.max(root.getBoundingClientRect().height, body.scrollHeight * zoom) + scrollBar
    onFit(Math.min(Math.ceil(height), MAX_HEIGHT_PX))
  }

  const sizes = new ResizeObserver(fit)
  sizes.observe(body)
  sizes.observe(frame)
  // An image that loads can be wider than everything else.
  const onLoad = () => {
    width = 0
    fit()
  }
  contentDocument.addEventListener('load', onLoad, { capture: true })
  fit()
  return () => sizes.disconnect()
}

/** Keys and presses in a frame count as pressed on the page: shortcuts work, and open menus close. */
export function passEventsOn(frame: HTMLIFrameElement): void {
  const inside = frame.contentDocument
  inside?.addEventListener('keydown', (event) => {
    const { key, code, keyCode, location, repeat, isComposing } = event
    const { shiftKey, ctrlKey, altKey, metaKey } = event
    const copy = new KeyboardEvent('keydown', {
      ...{ key, code, keyCode, location, repeat, isComposing, shiftKey, ctrlKey, altKey, metaKey },
      modifierAltGraph: event.getModifierState('AltGraph'),
      bubbles: true,
      cancelable: true,
    })
    if (!frame.dispatchEvent(copy)) event.preventDefault()
  })
  inside?.addEventListener('pointerdown', ({ button, pointerType }) => {
    frame.dispatchEvent(new PointerEvent('pointerdown', { button, pointerType, bubbles: true }))
  })
}
