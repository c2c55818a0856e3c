const PROPERTIES = ['--composer-top', '--composer-center', '--composer-width']

/** Keeps toasts centered above the composer (see toaster.css). Returns how to put them back at the bottom of the page. */
export function placeToastsAbove(composer: HTMLElement): () => void {
  const { style } = document.documentElement

  function place(): void {
    const { top, left, width } = composer.getBoundingClientRect()
    style.setProperty('--composer-top', `${Math.round(window.innerHeight - top)}px`)
    style.setProperty('--composer-center', `${Math.round(left + width / 2)}px`)
    style.setProperty('--composer-width', `${Math.round(width)}px`)
  }

  const sizes = new ResizeObserver(place)
  sizes.observe(composer)
  window.addEventListener('resize', place)
  window.visualViewport?.addEventListener('resize', place)
  return () => {
    sizes.disconnect()
    window.removeEventListener('resize', place)
    window.visualViewport?.removeEventListener('resize', place)
    for (const property of PROPERTIES) style.removeProperty(property)
  }
}
