import type { Shell } from '../contract.ts'
import type { Texts } from '../texts/en.ts'
import type { WidgetClient } from '../visitor/widget-client.ts'

interface Widget {
  client: WidgetClient
  texts(): Texts
  language(): string
  shell: Shell
}

let current: Widget | undefined

/** A page has one widget, so this needs no context of Solid. */
export function provideWidget(widget: Widget): void {
  current = widget
}

/** What every part of the panel needs. */
export function useWidget(): Widget {
  if (!current) throw new Error('There is no widget.')
  return current
}

/** `09:30`, as the visitor's language writes it. */
export function timeOf(iso: string, language: string): string {
  return new Date(iso).toLocaleString(language, { hour: 'numeric', minute: '2-digit' })
}
