import Bold from 'lucide-solid/icons/bold'
import Code from 'lucide-solid/icons/code'
import Italic from 'lucide-solid/icons/italic'
import List from 'lucide-solid/icons/list'
import ListOrdered from 'lucide-solid/icons/list-ordered'
import TextQuote from 'lucide-solid/icons/text-quote'
import { createEffect, createMemo, createSignal, For, type JSX } from 'solid-js'
import { type KeyAction, useKeys } from '../keyboard/keys.ts'
import { IconButton } from '../ui/icon-button.tsx'
import './format-toolbar.css'
import { LinkPopover } from './link-popover.tsx'
import { textareaFormats } from './textarea-formats.ts'
import { assistTyping } from './typing.ts'
import type { FormatName, WritingField } from './writing-field.ts'

interface FormatToolbarProps {
  /** The field that is formatted. */
  field: () => WritingField | undefined
}

interface Format {
  id: FormatName
  name: string
  keys: string
  icon: () => JSX.Element
}

const MARKS: Format[] = [
  { id: 'bold', name: 'Bold', keys: 'mod+b', icon: () => <Bold /> },
  { id: 'italic', name: 'Italic', keys: 'mod+i', icon: () => <Italic /> },
]
const BLOCKS: Format[] = [
  { id: 'bullets', name: 'Bulleted list', keys: 'mod+shift+8', icon: () => <List /> },
  { id: 'numbers', name: 'Numbered list', keys: 'mod+shift+7', icon: () => <ListOrdered /> },
  { id: 'quote', name: 'Quote', keys: 'mod+shift+9', icon: () => <TextQuote /> },
  { id: 'code', name: 'Code', keys: 'mod+e', icon: () => <Code /> },
]

/** Buttons and keys that format what is selected in a field. One stop for Tab; arrow keys move between the buttons. */
export function FormatToolbar(props: FormatToolbarProps) {
  const [isLinkOpen, setLinkOpen] = createSignal(false)
  const [current, setCurrent] = createSignal(0)
  let toolbar: HTMLDivElement | undefined
  const textarea = () => {
    const element = props.field()?.element
    return element instanceof HTMLTextAreaElement ? element : undefined
  }
  createEffect(() => {
    const element = textarea()
    if (element) assistTyping(element)
  })
  const formats = createMemo(() => {
    const element = textarea()
    return element ? textareaFormats(element) : props.field()?.formats
  })
  const hasFocus = () => {
    const field = props.field()
    return field !== undefined && document.activeElement === field.element
  }

  function apply({ id }: Format) {
    formats()?.format(id)
  }

  function onKeyDown(event: KeyboardEvent) {
    const buttons = [...(toolbar?.querySelectorAll('button') ?? [])]
    const last = buttons.length - 1
    const places: Record<string, number> = {
      ArrowRight: current() === last ? 0 : current() + 1,
      ArrowLeft: current() === 0 ? last : current() - 1,
      Home: 0,
      End: last,
    }
    const next = places[event.key]
    if (next === undefined) return
    event.preventDefault()
    setCurrent(next)
    buttons[next]?.focus()
  }

  useKeys(() => [
    ...[...MARKS, ...BLOCKS].map((format) => keyAction(format.name, format.keys, () => apply(format))),
    keyAction('Link', 'mod+k', () => setLinkOpen(true)),
    // The second time in the form of the link, which runs it. Listed for the field.
    {
      ...keyAction('Command menu from the reply', 'mod+k', () => {}),
      id: 'format.palette',
      keys: ['mod+k', 'mod+k'],
    },
  ])
  function keyAction(label: string, keys: string, run: () => void): KeyAction {
    const id = `format.${label.toLowerCase()}`
    return {
      id,
      label,
      section: 'Reply',
      keys: [keys],
      isForFields: true,
      isForDialogs: true,
      isKeyOnly: true,
      isEnabled: hasFocus,
      run,
    }
  }

  const button = (format: Format, place: number) => (
    <IconButton
      name={format.name}
      keys={format.keys}
      aria-pressed={formats()?.isFormatted(format.id)}
      size="small"
      tabIndex={current() === place ? 0 : -1}
      onFocus={() => setCurrent(place)}
      onClick={() => apply(format)}
    >
      {format.icon()}
    </IconButton>
  )

  return (
    <div
      class="format-toolbar"
      role="toolbar"
      aria-label="Formatting"
      ref={toolbar}
      onKeyDown={onKeyDown}
      // The field keeps the focus, and a phone its keyboard.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      <For each={MARKS}>{(format, at) => button(format, at())}</For>
      <LinkPopover
        field={props.field}
        formats={formats()}
        isButtonHidden={() => toolbar?.offsetParent === null}
        isOpen={isLinkOpen()}
        onOpenChange={setLinkOpen}
        tabIndex={current() === MARKS.length ? 0 : -1}
        onFocus={() => setCurrent(MARKS.length)}
      />
      <For each={BLOCKS}>{(format, at) => button(format, MARKS.length + 1 + at())}</For>
    </div>
  )
}
