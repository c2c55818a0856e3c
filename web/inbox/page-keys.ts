import { type Navigator, useNavigate } from '@solidjs/router'
import { setTheme, theme } from '../browser/theme.ts'
import { actionsIn, type KeyAction, overviewActions, useKeys } from '../keyboard/keys.ts'
import { signOut } from '../ticket/sign-out.tsx'
import type { InboxLocation } from './location.ts'
import type { Panes } from './panes.tsx'
import { BUILT_IN_VIEWS, VIEW_LETTERS } from './rail/views.ts'

interface RailKeysInput {
  location: InboxLocation
  panes: Panes
  showPalette: () => void
  showKeys: () => void
}

/** Keys that work anywhere in the inbox: views, panes, command menu, keyboard shortcuts. */
export function usePageKeys({ writeTicket, ...input }: RailKeysInput & { writeTicket: () => void }): void {
  const navigate = useNavigate()
  const { panes } = input
  useKeys(() => [
    ...actionsIn('Everywhere', [{ id: 'new-ticket', label: 'New ticket', keys: ['c'], run: writeTicket }]),
    ...railKeys(input, navigate, [
      { id: 'panel', label: 'Toggle customer panel', keys: [']'], run: panes.togglePanel },
      { id: 'both', label: 'Toggle focus mode', keys: ['z'], run: panes.toggleBoth },
    ]),
  ])
}

/** Keys of every page with the rail: views, other pages, command menu, keyboard shortcuts. `more` are of the page itself. */
export function railKeys(
  { location, panes, showPalette, showKeys }: RailKeysInput,
  navigate: Navigator,
  more: Omit<KeyAction, 'section'>[],
): KeyAction[] {
  return [
    ...actionsIn(
      'Go to',
      BUILT_IN_VIEWS.map(({ id, name }) => ({
        id: `go-${id}`,
        label: `Go to ${name}`,
        keys: ['g', VIEW_LETTERS[id]],
        run: () => location.openView(id),
        // The palette lists the view itself.
        isKeyOnly: true,
      })),
    ),
    ...actionsIn('Go to', [
      { id: 'go-customers', label: 'Customers', keys: ['g', 'c'], run: () => navigate('/customers') },
      { id: 'account', label: 'Your account', keys: [], run: () => navigate('/settings/account') },
      { id: 'settings', label: 'Settings', keys: [], run: () => navigate('/settings') },
    ]),
    ...overviewActions(showPalette, showKeys),
    ...actionsIn('Everywhere', [
      { id: 'rail', label: 'Toggle sidebar', keys: ['['], run: panes.toggleRail },
      ...more,
      {
        id: 'theme',
        label: theme() === 'dark' ? 'Use light theme' : 'Use dark theme',
        keys: [],
        run: () => setTheme(theme() === 'dark' ? 'light' : 'dark'),
      },
      { id: 'sign-out', label: 'Sign out', keys: [], run: () => void signOut() },
    ]),
  ]
}
