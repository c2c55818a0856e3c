// On iOS, the keyboard covers the page, and only the visual viewport shrinks. Other browsers shrink the page.

const view = window.visualViewport
const root = document.documentElement

function fit(): void {
  if (!view) return
  // With pinch zoom, the viewport is smaller on purpose.
  const isCovered = view.scale === 1 && view.height < window.innerHeight - 1
  if (isCovered) root.style.setProperty('--visible-height', `${Math.round(view.height)}px`)
  else root.style.removeProperty('--visible-height')
  // iOS scrolled the page up to show the field. The field is visible without that now.
  if (isCovered) window.scrollTo(0, 0)
}

view?.addEventListener('resize', fit)
