import { createEffect } from 'solid-js'
import { FormattedText, type FormattedTextProps } from './formatted-text.tsx'

/**
 * A formatted text that changes while it is typed. It keeps the nodes that are alike: when a node is removed from the page,
 * Chromium ends the typing that one undo takes back, and undo would go letter by letter.
 */
export function LiveText(props: FormattedTextProps) {
  const shown = document.createElement('div')
  createEffect(() => {
    const text = props.text
    const next = <FormattedText text={text} renderText={props.renderText} renderImage={props.renderImage} />
    if (next instanceof Element) updateInPlace(shown, next)
  })
  return shown
}

/** Makes an element look like another one, which may lose its nodes. */
function updateInPlace(shown: Element, next: Element): void {
  for (const { name } of [...shown.attributes]) if (!next.hasAttribute(name)) shown.removeAttribute(name)
  for (const { name, value } of next.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  }
  const nodes = [...next.childNodes]
  for (const [at, node] of nodes.entries()) {
    const known = shown.childNodes[at]
    if (!known) shown.append(node)
    else if (known instanceof Text && node instanceof Text) {
      if (known.data !== node.data) known.data = node.data
    } else if (known instanceof Element && node instanceof Element && known.nodeName === node.nodeName) {
      updateInPlace(known, node)
    } else known.replaceWith(node)
  }
  while (shown.childNodes.length > nodes.length) shown.lastChild?.remove()
}
