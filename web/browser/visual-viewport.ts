// Safari on phones and tablets lays its keyboard over the page and tells only here; other browsers make the page smaller.

const view = window.visualViewport
const root = document.documentElement

function fit(): void {
  if (!view) return
  // Whoever has enlarged the page with two fingers sees a part of it, as meant.
  const isCovered = view.scale === 1 && view.height < window.innerHeight - 1
  if (isCovered) root.style.setProperty('--visible-height', `${Math.round(view.height)}px`)
  else root.style.removeProperty('--visible-height')
  // It has moved the page up to show the field; now the field is in sight anyway.
  if (isCovered) window.scrollTo(0, 0)
}

view?.addEventListener('resize', fit)
