import { isComposing } from '../../ui/ime.ts'

/**
 * Keys of the search field of a merge: Enter chooses the first one that was found, so that a second Enter merges, and the
 * down arrow goes to the others. While the search runs, the list isn't of what was typed.
 */
export function chooseFirst(
  event: KeyboardEvent & { currentTarget: HTMLInputElement },
  isChosen: boolean,
): void {
  const isDown = event.key === 'ArrowDown'
  if (isComposing(event) || (!isDown && (event.key !== 'Enter' || isChosen))) return
  event.preventDefault()
  const first = event.currentTarget.form?.querySelector<HTMLElement>(
    'fieldset:not([aria-busy="true"]) [type="radio"]',
  )
  first?.click()
  if (isDown) first?.focus()
}
