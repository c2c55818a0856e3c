import { useNavigate } from '@solidjs/router'
import { type Component, createMemo, createSignal, onMount, Show } from 'solid-js'
import { type KeyAction, useKeys } from '../keyboard/keys.ts'
import { overviewActions } from '../keyboard/overview-actions.ts'
import { lazyDialog } from '../live/lazy-page.tsx'
import { menuGroups } from './settings-routes.ts'

const KeySheet = lazyDialog(() => import('../keyboard/key-sheet.tsx'))

/** The command menu, which belongs to the inbox. Its code loads after the page. */
export type LazyPalette = Component<{ isOpen: boolean; onClose: () => void }> & {
  preload: () => Promise<unknown>
}

/** The command menu and the list of keyboard shortcuts, as in the inbox. */
export function SettingsKeys(props: { isAdmin: boolean; palette: LazyPalette }) {
  const navigate = useNavigate()
  const [floating, setFloating] = createSignal<'palette' | 'keys'>()
  // Stays loaded once opened, so that closing it can return the focus.
  const isLoaded = createMemo<boolean>((was) => was || floating() === 'palette', false)
  const close = () => setFloating(undefined)
  // Users start typing as soon as they open it.
  onMount(() => void props.palette.preload())
  useKeys(() => [
    action('inbox', 'Back to inbox', ['g', 'i'], () => navigate('/inbox')),
    ...menuGroups(props.isAdmin).flatMap(({ pages }) =>
      pages.map(({ path, title }) =>
        action(`settings-${path}`, title, [], () => navigate(`/settings/${path}`)),
      ),
    ),
    ...overviewActions(
      () => setFloating('palette'),
      () => setFloating('keys'),
    ),
  ])
  return (
    <>
      <Show when={isLoaded()}>
        <props.palette isOpen={floating() === 'palette'} onClose={close} />
      </Show>
      <KeySheet isOpen={floating() === 'keys'} onClose={close} />
    </>
  )
}

function action(id: string, label: string, keys: string[], run: () => void): KeyAction {
  return { id, label, section: 'Go to', keys, run }
}
