/** Keeps the panel within what the keyboard of a phone leaves of the page. */
export function fitViewport(panel: HTMLElement): void {
  const { visualViewport } = window
  if (!visualViewport) return
  function fit(this: VisualViewport): void {
    panel.style.setProperty('--visible-height', `${this.height}px`)
    panel.style.setProperty('--visible-top', `${this.offsetTop}px`)
  }
  fit.call(visualViewport)
  // The panel stays as long as the page.
  visualViewport.addEventListener('resize', fit)
  visualViewport.addEventListener('scroll', fit)
}
