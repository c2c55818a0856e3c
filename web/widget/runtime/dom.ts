import { createMemo, createRenderEffect, createRoot, untrack } from './reactive.ts'

// What compiled JSX calls: what the widget uses of `solid-js/web`.

export { createComponent, createRenderEffect as effect, For, Show } from './reactive.ts'

export function memo(compute: () => unknown): () => unknown {
  return createMemo(compute)
}

export function render(code: () => unknown, parent: Element): () => void {
  return createRoot((dispose) => {
    insert(parent, code())
    return () => {
      dispose()
      parent.textContent = ''
    }
  })
}

/** Parsed once, then cloned. */
export function template(html: string): () => Node {
  let first: Node | undefined
  return () => {
    if (!first) {
      const holder = document.createElement('template')
      holder.innerHTML = html
      first = holder.content.firstChild ?? holder
    }
    return first.cloneNode(true)
  }
}

/** Shows a value in front of `marker`, or at the end, and what it becomes later. */
export function insert(parent: Node, value: unknown, marker: Node | null = null): void {
  let shown: ChildNode[] = []
  createRenderEffect(() => {
    const texts = shown
    const next = flat(value).map((item, at) =>
      item instanceof Node ? (item as ChildNode) : textOf(item, texts[at]),
    )
    for (const old of shown) if (!next.includes(old)) old.remove()
    shown = next
    let after = marker
    for (const node of [...next].reverse()) {
      if (node.nextSibling !== after || node.parentNode !== parent) parent.insertBefore(node, after)
      after = node
    }
  })
}

/** Without what shows nothing. */
function flat(value: unknown): unknown[] {
  if (typeof value === 'function') return flat(value())
  if (Array.isArray(value)) return value.flatMap(flat)
  return value == null || typeof value === 'boolean' ? [] : [value]
}

function textOf(value: unknown, before: ChildNode | undefined): ChildNode {
  const text = String(value)
  if (!(before instanceof Text)) return document.createTextNode(text)
  if (before.data !== text) before.data = text
  return before
}

export function setAttribute(element: Element, name: string, value: unknown): void {
  if (value == null) element.removeAttribute(name)
  else element.setAttribute(name, String(value))
}

export function className(element: Element, value: unknown): void {
  setAttribute(element, 'class', value)
}

export function classList(element: Element, classes: Record<string, unknown>): Record<string, unknown> {
  for (const [name, isSet] of Object.entries(classes)) element.classList.toggle(name, Boolean(isSet))
  return classes
}

export function addEventListener(element: Element, name: string, run: EventListener): void {
  element.addEventListener(name, run)
}

export function use(
  run: (element: Element, argument: unknown) => void,
  element: Element,
  argument: unknown,
): void {
  untrack(() => run(element, argument))
}
