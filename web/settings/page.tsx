import ChevronLeft from 'lucide-solid/icons/chevron-left'
import { createUniqueId, type JSX, onCleanup, onMount, Show } from 'solid-js'

interface PageProps {
  title: string
  /** One sentence: what this is for. */
  lead?: JSX.Element
  actions?: JSX.Element
  /** The list that this page is one of; without it, narrow screens go back to the list of settings. */
  back?: { href: string; name: string }
  children?: JSX.Element
}

/** A page of the settings: its title, what it is for, and what can be done. */
export function Page(props: PageProps) {
  let heading: HTMLHeadingElement | undefined
  let page: HTMLDivElement | undefined
  const goOnFromTitle = () => heading?.focus({ preventScroll: true })
  // The link that led here is gone from the page: whoever uses the keyboard goes on from the title.
  onMount(() => {
    const focused = document.activeElement
    const isNowhere = !focused || focused === document.body || !focused.checkVisibility()
    if (isNowhere) goOnFromTitle()
    if (page) onFocusGone(page, goOnFromTitle)
  })
  return (
    <div class="page" ref={page}>
      <a class="page-back" href={props.back?.href ?? '/settings'} data-to={props.back ? 'parent' : 'list'}>
        <ChevronLeft />
        {props.back?.name ?? 'Settings'}
      </a>
      <header class="page-head">
        <div class="page-words">
          <h1 ref={heading} tabindex={-1}>
            {props.title}
          </h1>
          <Show when={props.lead}>
            <p class="page-lead">{props.lead}</p>
          </Show>
        </div>
        <Show when={props.actions}>
          <div class="page-actions">{props.actions}</div>
        </Show>
      </header>
      {props.children}
    </div>
  )
}

/** Calls back when what had the focus is taken off the page, such as the button of a row that is deleted. */
function onFocusGone(page: HTMLElement, goOn: () => void): void {
  let last: Element | undefined
  page.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : undefined
  })
  const watcher = new MutationObserver(() => {
    if (!last || last.isConnected) return
    last = undefined
    if (document.activeElement === document.body) goOn()
  })
  watcher.observe(page, { childList: true, subtree: true })
  onCleanup(() => watcher.disconnect())
}

interface SectionProps {
  title: string
  /** One sentence that explains what stands here. */
  text?: JSX.Element
  actions?: JSX.Element
  children: JSX.Element
}

/** A part of a page with its heading. */
export function Section(props: SectionProps) {
  const id = createUniqueId()
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <div>
          <h2 id={id}>{props.title}</h2>
          <Show when={props.text}>
            <p class="section-text">{props.text}</p>
          </Show>
        </div>
        <Show when={props.actions}>
          <div class="page-actions">{props.actions}</div>
        </Show>
      </div>
      {props.children}
    </section>
  )
}
