import { queryOptions, useMutation } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toast } from '../../ui/toaster.tsx'
import { createFormState, type FormValues } from '../form-state.ts'

export type Widget = Answer<typeof api.console.widgets.get>['data'][number]
type WidgetRoute = ReturnType<typeof api.console.widgets>
type WidgetChange = Parameters<WidgetRoute['patch']>[0]

export const widgetsQuery = queryOptions({
  queryKey: queryKeys.widgets,
  queryFn: () => ask(api.console.widgets.get()),
})

export const widgetQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.widget(id),
    queryFn: () => ask(api.console.widgets({ id }).get()),
  })

/** Shows a changed widget at once, everywhere on the page. */
export function showWidget(widget: Widget): void {
  showSaved(['widget', widget.id], widget)
  widgetsChanged()
}

export function widgetsChanged(): void {
  for (const queryKey of [queryKeys.widgets, queryKeys.checklist, queryKeys.apiKeys]) {
    void queries.invalidateQueries({ queryKey })
  }
}

export function saveWidget(id: string, change: WidgetChange): Promise<Widget> {
  return ask(api.console.widgets({ id }).patch(change))
}

/** The website of an address as people type or copy it, without its path: `shop.example/cart` is `https://shop.example`. */
export function websiteOf(typed: string): string {
  const text = typed.trim()
  const scheme = /^localhost(?![\w.-])/i.test(text) ? 'http' : 'https'
  const address = /^(localhost|[\p{L}\p{N}_*-]+(\.[\p{L}\p{N}_-]+)+)(?![\p{L}\p{N}_@.-])/iu.test(text)
    ? `${scheme}://${text}`
    : text
  return /^https?:\/\/[^/?#@\s]+(?=$|[/?#])/i.exec(address)?.[0] ?? text
}

/** A part of a widget's settings that is saved on its own. `what` completes a sentence: "the opening hours". */
export function createWidgetForm<Values extends FormValues>(
  what: string,
  widget: () => Widget,
  {
    valuesOf,
    changeOf,
  }: { valuesOf: (widget: Widget) => Values; changeOf: (values: Values) => WidgetChange },
) {
  const form = createFormState<Values>(what, () => valuesOf(widget()))
  const save = useMutation(() => ({
    mutationFn: () => form.save((values) => saveWidget(widget().id, changeOf(values))),
    onSuccess: (saved: Widget) => {
      showWidget(saved)
      toast('Saved.')
    },
  }))
  return { ...form, submit: save }
}
