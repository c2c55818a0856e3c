import type { JSX } from 'solid-js'
import type { Inline } from '../../server/formatting/inline.ts'

export type FormatName = 'bold' | 'italic' | 'code' | 'bullets' | 'numbers' | 'quote'

/** What a link is made of. `isLink`: it is one already. */
export interface LinkText {
  label: string
  address: string
  isLink: boolean
}

/** What the toolbar does to what is selected. */
export interface FieldFormats {
  format: (name: FormatName) => void
  /** Whether the selection has a format. Undefined where it can't be told. Changes with the selection. */
  isFormatted: (name: FormatName) => boolean | undefined
  /** What is selected, as a link. */
  link: () => LinkText
  /** Makes a link of it. Without an address, only its text is left. */
  setLink: (label: string, href: string | undefined) => void
}

/** Where a formatted text is written: the editor, or the Markdown field that stands in for it. */
export interface WritingField {
  /** What has the focus while someone writes. */
  element: HTMLElement
  focus: () => void
  /** Puts Markdown where the cursor is, as one step that can be undone, with the cursor after it. */
  insert: (markdown: string) => void
  /** The same of a text that has no formatting. */
  insertText: (text: string) => void
  /** Puts a text below what is there, as one step that can be undone, with the cursor after it. */
  append: (text: string, format: 'plain' | 'markdown') => void
  /** Of the editor. Those of the plain field come with its toolbar. */
  formats?: FieldFormats
  /** Whether the cursor is at the start of a line, where a `/` opens the saved replies. */
  isAtLineStart: () => boolean
  /** Whether a word can begin at the cursor, where an `@` opens the colleagues. */
  isAtWordStart: () => boolean
}

export interface FormattedFieldProps {
  /** What its label names. */
  id?: string | undefined
  /** For screen readers. */
  label: string
  value: string
  onInput: (markdown: string) => void
  /** Characters. */
  maxLength?: number | undefined
  rows: number
  placeholder?: string | undefined
  class?: string | undefined
  /** Id of the hint or error. */
  describedBy?: string | undefined
  isInvalid?: boolean | undefined
  isRequired?: boolean | undefined
  onKeyDown?: ((event: KeyboardEvent) => void) | undefined
  onFocus?: (() => void) | undefined
  onBlur?: (() => void) | undefined
  renderImage?: ((image: Extract<Inline, { kind: 'image' }>) => JSX.Element) | undefined
  /** Receives the field, and another one when the editor replaces the plain field. */
  field: (field: WritingField) => void
}

/** What moves over from the plain field to the editor. */
export interface Handover {
  start: number
  end: number
  hasFocus: boolean
}

const fields = new WeakMap<EventTarget, WritingField>()

/** Lets others find the field by its element, such as where something is pasted. */
export function registerField(field: WritingField): WritingField {
  fields.set(field.element, field)
  return field
}

export function fieldOf(target: EventTarget | null): WritingField | undefined {
  const element = target instanceof Element ? target.closest('textarea,[contenteditable=true]') : undefined
  return element ? fields.get(element) : undefined
}
