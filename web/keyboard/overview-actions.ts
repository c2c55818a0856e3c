import type { KeyAction } from './keys.ts'

/** What shows everything else: the palette of commands and the sheet of keys. */
export function overviewActions(showPalette: () => void, showKeys: () => void): KeyAction[] {
  return [
    {
      id: 'palette',
      label: 'All commands',
      section: 'Everywhere',
      keys: ['mod+k'],
      run: showPalette,
      isForFields: true,
      isKeyOnly: true,
    },
    { id: 'keys', label: 'Show all keys', section: 'Everywhere', keys: ['?'], run: showKeys },
  ]
}
