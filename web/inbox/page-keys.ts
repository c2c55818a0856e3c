import { useNavigate } from '@solidjs/router'
import { setTheme, theme } from '../browser/theme.ts'
import { type KeyAction, overviewActions, useKeys } from '../keyboard/keys.ts'
import { signOut } from '../ticket/sign-out.tsx'
import { disabledReplyKeys } from '../ticket/ticket-keys.ts'
import type { InboxLocation } from './location.ts'
import type { Panes } from './panes.tsx'
import { BUILT_IN_VIEWS, VIEW_LETTERS } from './rail/views.ts'

interface PageKeysInput {
  location: InboxLocation
  panes: Panes
  showPalette: () => void
  showKeys: () => void
  writeTicket: () => void
}

/** Keys that work anywhere in the inbox: views, panes, command menu, keyboard shortcuts. */
export function usePageKeys({ location, panes, showPalette, showKeys, writeTicket }: PageKeysInput): void {
  const navigate = useNavigate()
  useKeys(() => [
    ...BUILT_IN_VIEWS.map(
      ({ id, name }): KeyAction => ({
        id: `go-${id}`,
        label: `Go to ${name}`,
        section: 'Go to',
        keys: ['g', VIEW_LETTERS[id]],
        run: () => location.openView(id),
        // The palette lists the view itself.
        isKeyOnly: true,
      }),
    ),
    ...disabledReplyKeys(),
    { id: 'new-ticket', label: 'New ticket', section: 'Everywhere', keys: ['c'], run: writeTicket },
    ...overviewActions(showPalette, showKeys),
    {
      id: 'rail',
      label: 'Toggle sidebar',
      section: 'Everywhere',
      keys: ['['],
      run: panes.toggleRail,
    },
    {
      id: 'panel',
      label: 'Toggle customer panel',
      section: 'Everywhere',
      keys: [']'],
      run: panes.togglePanel,
    },
    { id: 'both', label: 'Toggle focus mode', section: 'Everywhere', keys: ['z'], run: panes.toggleBoth },
    {
      id: 'theme',
      label: theme() === 'dark' ? 'Use light theme' : 'Use dark theme',
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
