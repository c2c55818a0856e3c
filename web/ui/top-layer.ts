/**
 * For the `ref` of a portal whose content may open over a dialog, such as a list of options. The dialog hides whatever
 * is new on the page from screen readers; Kobalte spares what carries this mark.
 */
export function spareFromHiding(portal: object): void {
  if (portal instanceof HTMLElement) portal.dataset.reactAriaTopLayer = 'true'
}
