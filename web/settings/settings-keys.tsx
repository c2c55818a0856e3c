import { useNavigate } from '@solidjs/router'
import { createEffect, createSignal, lazy, Show } from 'solid-js'
import { createPlace } from '../inbox/place.ts'
import { KeySheet } from '../keys/key-sheet.tsx'
import { type KeyAction, useKeys } from '../keys/keys.ts'
import { groupsFor } from './pages.ts'

// It brings parts of the inbox along, which the settings do without until somebody asks.
const Palette = lazy(async () => ({ default: (await import('../inbox/palette.tsx')).Palette }))

/** The palette and the sheet of keys, here as in the inbox. */
export function SettingsKeys(props: { isAdmin: boolean }) {
  const navigate = useNavigate()
  const place = createPlace()
  const [floating, setFloating] = createSignal<'palette' | 'keys'>()
  const [isLoaded, setLoaded] = createSignal(false)
  const close = () => setFloating(undefined)
  createEffect(() => floating() === 'palette' && setLoaded(true))
  useKeys(() => [
    action('inbox', 'Back to the inbox', ['g', 'i'], () => navigate('/inbox')),
    ...groupsFor(props.isAdmin).flatMap(({ pages }) =>
      pages.map(({ path, title }) =>
        action(`settings-${path}`, title, [], () => navigate(`/settings/${path}`)),
      ),
    ),
    {
      id: 'palette',
      label: 'All commands',
      section: 'Everywhere',
      keys: ['mod+k'],
      run: () => setFloating('palette'),
      isForFields: true,
      isKeyOnly: true,
    },
    {
      id: 'keys',
      label: 'Show all keys',
      section: 'Everywhere',
      keys: ['?'],
      run: () => setFloating('keys'),
    },
  ])
  return (
    <>
      <Show when={isLoaded()}>
        <Palette isOpen={floating() === 'palette'} onClose={close} place={place} />
      </Show>
      <KeySheet isOpen={floating() === 'keys'} onClose={close} />
    </>
  )
}

function action(id: string, label: string, keys: string[], run: () => void): KeyAction {
  return { id, label, section: 'Go to', keys, run }
}
