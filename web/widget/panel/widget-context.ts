import { createContext, useContext } from 'solid-js'
import type { Shell } from '../contract.ts'
import type { Texts } from '../texts/en.ts'
import type { WidgetClient } from '../visitor/widget-client.ts'

interface Widget {
  client: WidgetClient
  texts(): Texts
  language(): string
  shell: Shell
}

export const WidgetContext = createContext<Widget>()

/** What every part of the panel needs. */
export function useWidget(): Widget {
  const widget = useContext(WidgetContext)
  if (!widget) throw new Error('This is not within the widget.')
  return widget
}

/** `09:30`, as the visitor's language writes it. */
export function timeOf(iso: string, language: string): string {
  return new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' }).format(new Date(iso))
}
