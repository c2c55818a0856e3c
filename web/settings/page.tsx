import { useNavigate } from '@solidjs/router'
import ChevronLeft from 'lucide-solid/icons/chevron-left'
import MapPinOff from 'lucide-solid/icons/map-pin-off'
import { children, createUniqueId, type JSX, onCleanup, onMount, Show } from 'solid-js'
import { ConfirmButton } from '../forms/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { toast } from '../ui/toaster.tsx'

interface PageProps {
  title: string
  /** One sentence: what the page is for. */
  lead?: JSX.Element
  actions?: JSX.Element
  /** The list this item belongs to. Without it, narrow screens go back to the settings menu. */
  back?: { href: string; name: string }
  children?: JSX.Element
}

/** A settings page: title, description, actions and content. */
export function Page(props: PageProps) {
  let heading: HTMLHeadingElement | undefined
  let page: HTMLDivElement | undefined
  const actions = children(() => props.actions)
  const focusTitle = () => heading?.focus({ preventScroll: true })
  // The link that was clicked is gone from the page, so keyboard users continue from the title.
  onMount(() => {
    const focused = document.activeElement
    const isNowhere = !focused || focused === document.body || !focused.checkVisibility()
    if (isNowhere) focusTitle()
    if (page) onFocusGone(page, focusTitle)
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
        <Show when={actions()}>
          <div class="page-actions">{actions()}</div>
        </Show>
      </header>
      {props.children}
    </div>
  )
}

/** Calls back when the focused element is removed from the page, such as the button of a deleted row. */
function onFocusGone(page: HTMLElement, onGone: () => void): void {
  let last: Element | undefined
  page.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? target : undefined
  })
  const watcher = new MutationObserver(() => {
    if (!last || last.isConnected) return
    last = undefined
    if (document.activeElement === document.body) onGone()
  })
  watcher.observe(page, { childList: true, subtree: true })
  onCleanup(() => watcher.disconnect())
}

interface SectionProps {
  title: string
  /** One sentence that explains the section. */
  text?: JSX.Element
  actions?: JSX.Element
  children: JSX.Element
}

/** A part of a page with its own heading. */
export function Section(props: SectionProps) {
  const id = createUniqueId()
  const actions = children(() => props.actions)
  return (
    <section class="page-section" aria-labelledby={id}>
      <div class="page-section-head">
        <div>
          <h2 id={id}>{props.title}</h2>
          <Show when={props.text}>
            <p class="page-section-text">{props.text}</p>
          </Show>
        </div>
        <Show when={actions()}>
          <div class="page-actions">{actions()}</div>
        </Show>
      </div>
      {props.children}
    </section>
  )
}

interface RemoveSectionProps {
  verb: 'Delete' | 'Remove'
  /** "endpoint". */
  noun: string
  /** What is kept. */
  text: string
  /** The question. */
  title: string
  /** What will happen. */
  warning: string
  /** Must be typed first. */
  word?: string
  run: () => Promise<unknown>
  onDone: () => void
  /** What the toast says then. */
  done: string
  /** The page to go to. */
  list: string
}

/** The last part of an item's page: removes it permanently, after a confirmation. */
export function RemoveSection(props: RemoveSectionProps) {
  const navigate = useNavigate()
  const remove = async () => {
    const { done, list } = props
    await props.run()
    props.onDone()
    toast(done)
    navigate(list)
  }
  return (
    <Section title={props.verb} text={props.text}>
      <div>
        <ConfirmButton
          label={`${props.verb} ${props.noun}…`}
          title={props.title}
          text={props.warning}
          word={props.word}
          action={`${props.verb} ${props.noun}`}
          onConfirm={remove}
        />
      </div>
    </Section>
  )
}

/** Shown on the page of an item, such as an endpoint, that does not exist. */
export function NotFound(props: { text: string }) {
  return (
    <EmptyState
      icon={<MapPinOff />}
      title="Page not found"
      text={props.text}
      action={<a href="/inbox">Go to inbox</a>}
    />
  )
}
