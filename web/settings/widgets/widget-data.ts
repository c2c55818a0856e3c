import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleDashed from 'lucide-solid/icons/circle-dashed'
import CircleX from 'lucide-solid/icons/circle-x'
import { type Answer, api, ask } from '../../api/api.ts'
import { createResource } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { createForm } from '../../forms/create-form.ts'
import { ACCOUNT_STATES } from '../channel-account.tsx'
import type { ShownState } from '../detail-list.tsx'

export type Widget = Answer<typeof api.console.widgets.get>['data'][number]
type WidgetRoute = ReturnType<typeof api.console.widgets>
type WidgetChange = Parameters<WidgetRoute['patch']>[0]

export const WIDGETS_PAGE = { href: '/settings/widget', name: 'Website widget' }

export const widgets = createResource({
  listKey: queryKeys.widgets,
  keyOf: queryKeys.widget,
  readList: () => ask(api.console.widgets.get()),
  read: (id) => ask(api.console.widgets({ id }).get()),
  affected: [queryKeys.checklist, queryKeys.apiKeys],
})

const STATES: Record<Widget['state'], ShownState> = {
  active: { word: 'Active', tone: 'green', icon: CircleCheck },
  paused: ACCOUNT_STATES.paused,
  disabled: { word: 'Key revoked', tone: 'red', icon: CircleX },
}
const UNSEEN: ShownState = { word: 'Not seen yet', tone: 'amber', icon: CircleDashed }

export function shownStateOf({ state, seen }: Widget): ShownState {
  return state === 'active' && seen === null ? UNSEEN : STATES[state]
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
export function createWidgetForm<Values extends Record<string, unknown>>(options: {
  what: string
  widget: () => Widget
  valuesOf: (widget: Widget) => Values
  changeOf: (values: Values) => WidgetChange
  at?: string
}) {
  return createForm({
    what: options.what,
    values: () => options.valuesOf(options.widget()),
    save: (values) => saveWidget(options.widget().id, options.changeOf(values)),
    onSaved: (widget) => {
      widgets.show(widget)
      return 'Saved.'
    },
    ...(options.at && { at: options.at }),
  })
}
