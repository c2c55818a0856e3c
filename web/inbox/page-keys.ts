import { useNavigate } from '@solidjs/router'
import { setTheme, theme } from '../browser/theme.ts'
import { type KeyAction, useKeys } from '../keyboard/keys.ts'
import { overviewActions } from '../keyboard/overview-actions.ts'
import { signOut } from '../sign-in/sign-out.tsx'
import type { Place } from './location.ts'
import type { Panes } from './panes.ts'
import { BUILT_IN_VIEWS, VIEW_LETTERS } from './rail/views.ts'

interface PageInput {
  place: Place
  panes: Panes
  showPalette: () => void
  showKeys: () => void
}

/** What can be done anywhere in the inbox: other lists, panes, palette, sheet of keys. */
export function usePageKeys({ place, panes, showPalette, showKeys }: PageInput): void {
  const navigate = useNavigate()
  useKeys(() => [
    ...BUILT_IN_VIEWS.map(
      ({ id, name }): KeyAction => ({
        id: `go-${id}`,
        label: `Go to ${name}`,
        section: 'Go to',
        keys: ['g', VIEW_LETTERS[id]],
        run: () => place.openView(id),
        // The palette has the list itself.
        isKeyOnly: true,
      }),
    ),
    ...overviewActions(showPalette, showKeys),
    {
      id: 'rail',
      label: 'Show or hide the left rail',
      section: 'Everywhere',
      keys: ['['],
      run: panes.toggleRail,
    },
    {
      id: 'panel',
      label: 'Show or hide the customer',
      section: 'Everywhere',
      keys: [']'],
      run: panes.togglePanel,
    },
    { id: 'both', label: 'Show or hide both', section: 'Everywhere', keys: ['z'], run: panes.toggleBoth },
    {
      id: 'theme',
      label: theme() === 'dark' ? 'Use the light theme' : 'Use the dark theme',
      section: 'Everywhere',
      keys: [],
      run: () => setTheme(theme() === 'dark' ? 'light' : 'dark'),
    },
    {
      id: 'account',
      label: 'Your account',
      section: 'Go to',
      keys: [],
      run: () => navigate('/settings/account'),
    },
    {
      id: 'settings',
      label: 'Settings',
      section: 'Go to',
      keys: [],
      run: () => navigate('/settings'),
    },
    { id: 'sign-out', label: 'Sign out', section: 'Everywhere', keys: [], run: () => void signOut() },
  ])
}
