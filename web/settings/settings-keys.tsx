import { useNavigate } from '@solidjs/router'
import { createMemo, createSignal, onMount, Show } from 'solid-js'
import { KeySheet } from '../keyboard/key-sheet.tsx'
import { type KeyAction, useKeys } from '../keyboard/keys.ts'
import { overviewActions } from '../keyboard/overview-actions.ts'
import { part } from '../live/lazy-page.tsx'
import { groupsFor } from './pages.ts'

// It brings parts of the inbox along, which come after the page.
const Palette = part(async () => ({ default: (await import('../inbox/palette/palette.tsx')).Palette }))

/** The palette and the sheet of keys, here as in the inbox. */
export function SettingsKeys(props: { isAdmin: boolean }) {
  const navigate = useNavigate()
  const [floating, setFloating] = createSignal<'palette' | 'keys'>()
  // Once it was asked for, it stays: a window that closes gives the focus back.
  const isLoaded = createMemo<boolean>((was) => was || floating() === 'palette', false)
  const close = () => setFloating(undefined)
  // Whoever asks for it types on at once.
  onMount(() => void Palette.preload())
  useKeys(() => [
    action('inbox', 'Back to the inbox', ['g', 'i'], () => navigate('/inbox')),
    ...groupsFor(props.isAdmin).flatMap(({ pages }) =>
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
        <Palette isOpen={floating() === 'palette'} onClose={close} />
      </Show>
      <KeySheet isOpen={floating() === 'keys'} onClose={close} />
    </>
  )
}

function action(id: string, label: string, keys: string[], run: () => void): KeyAction {
  return { id, label, section: 'Go to', keys, run }
}
