import Bold from 'lucide-solid/icons/bold'
import Code from 'lucide-solid/icons/code'
import Eye from 'lucide-solid/icons/eye'
import Italic from 'lucide-solid/icons/italic'
import List from 'lucide-solid/icons/list'
import ListOrdered from 'lucide-solid/icons/list-ordered'
import TextQuote from 'lucide-solid/icons/text-quote'
import { createEffect, createSignal, For, type JSX, Show } from 'solid-js'
import { type KeyAction, useKeys } from '../keyboard/keys.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { applyEdit, selectedIn } from './apply-edit.ts'
import { isPreviewShown, showPreview } from './format-preview.tsx'
import './format-toolbar.css'
import { LinkPopover } from './link-popover.tsx'
import { type Edit, type Selected, toggleLines, toggleMark } from './markdown-edits.ts'
import { assistTyping } from './typing.ts'

interface FormatToolbarProps {
  /** The field that is formatted. */
  field: () => HTMLTextAreaElement | undefined
  /** Whether the button that shows and hides the preview is one of them. */
  hasPreview: boolean
}

interface Format {
  name: string
  keys?: string
  icon: () => JSX.Element
  edit: (selected: Selected) => Edit
}

const MARKS: Format[] = [
  { name: 'Bold', keys: 'mod+b', icon: () => <Bold />, edit: (text) => toggleMark(text, 'bold') },
  { name: 'Italic', keys: 'mod+i', icon: () => <Italic />, edit: (text) => toggleMark(text, 'italic') },
]
const BLOCKS: Format[] = [
  { name: 'Bulleted list', icon: () => <List />, edit: (text) => toggleLines(text, 'bullets') },
  { name: 'Numbered list', icon: () => <ListOrdered />, edit: (text) => toggleLines(text, 'numbers') },
  { name: 'Quote', icon: () => <TextQuote />, edit: (text) => toggleLines(text, 'quote') },
  { name: 'Code', icon: () => <Code />, edit: (text) => toggleMark(text, 'code') },
]

/** Buttons and keys that format what is selected in a field. One stop for Tab; arrow keys move between the buttons. */
export function FormatToolbar(props: FormatToolbarProps) {
  const [isLinkOpen, setLinkOpen] = createSignal(false)
  const [current, setCurrent] = createSignal(0)
  let toolbar: HTMLDivElement | undefined
  createEffect(() => {
    const field = props.field()
    if (field) assistTyping(field)
  })
  const hasFocus = () => {
    const field = props.field()
    return field !== undefined && document.activeElement === field
  }

  function apply({ edit }: Format) {
    const field = props.field()
    if (field) applyEdit(field, edit(selectedIn(field)))
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
    ...MARKS.flatMap((format) =>
      format.keys ? [keyAction(format.name, format.keys, () => apply(format))] : [],
    ),
    keyAction('Link', 'mod+k', () => setLinkOpen(true)),
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
      {...(format.keys && { keys: format.keys })}
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
        isOpen={isLinkOpen()}
        onOpenChange={setLinkOpen}
        tabIndex={current() === MARKS.length ? 0 : -1}
        onFocus={() => setCurrent(MARKS.length)}
      />
      <For each={BLOCKS}>{(format, at) => button(format, MARKS.length + 1 + at())}</For>
      <Show when={props.hasPreview}>
        <IconButton
          name="Preview"
          size="small"
          class="format-toolbar-preview"
          aria-pressed={isPreviewShown()}
          tabIndex={current() === MARKS.length + BLOCKS.length + 1 ? 0 : -1}
          onFocus={() => setCurrent(MARKS.length + BLOCKS.length + 1)}
          onClick={() => showPreview(!isPreviewShown())}
        >
          <Eye />
        </IconButton>
      </Show>
    </div>
  )
}
