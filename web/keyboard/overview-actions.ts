import type { KeyAction } from './keys.ts'

/** The keys of the command menu and of the list of shortcuts. */
export function overviewActions(showPalette: () => void, showKeys: () => void): KeyAction[] {
  return [
    {
      id: 'palette',
      label: 'Command menu',
      section: 'Everywhere',
      keys: ['mod+k'],
      run: showPalette,
      isForFields: true,
      isKeyOnly: true,
    },
    { id: 'keys', label: 'Keyboard shortcuts', section: 'Everywhere', keys: ['?'], run: showKeys },
  ]
}
