import { createSignal } from 'solid-js'
import { writesMarkdown } from '../browser/writing-setting.ts'

type RichField = typeof import('./editor/rich-field.tsx').RichField

const [loaded, setLoaded] = createSignal<RichField>()

/** Firefox on Android loses letters of its keyboard's suggestions in editable elements. */
const IS_UNFIT = /Android.*Firefox/.test(navigator.userAgent)

/** The editor, once it is loaded. Undefined for agents who write Markdown, in a plain field. */
export function editorField(): RichField | undefined {
  return writesMarkdown() ? undefined : loaded()
}

/** If it can't be loaded, the plain field stays. */
export function loadEditor(): void {
  if (IS_UNFIT || writesMarkdown()) return
  void import('./editor/rich-field.tsx').then(
    ({ RichField }) => setLoaded(() => RichField),
    () => {},
  )
}
