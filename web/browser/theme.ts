import { createSignal } from 'solid-js'

export const THEMES = ['light', 'dark', 'system'] as const
export type Theme = (typeof THEMES)[number]
export const THEME_NAMES: Record<Theme, string> = { light: 'Light', dark: 'Dark', system: 'System' }

/** Read by first-paint.js too, before anything is painted. */
const KEY = 'bellhop.theme'

const [chosen, setChosen] = createSignal<Theme>(themeOf(document.documentElement.dataset.theme))

/** The theme this person chose in this browser. */
export const theme = chosen

/** Takes effect at once, here and in the other tabs, and is stored in this browser. */
export function setTheme(next: Theme): void {
  show(next)
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage, the theme applies until the page is closed.
  }
}

function show(next: Theme): void {
  document.documentElement.dataset.theme = next
  setChosen(next)
}

function themeOf(value: string | null | undefined): Theme {
  return THEMES.find((known) => known === value) ?? 'system'
}

window.addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY) show(themeOf(newValue))
})
