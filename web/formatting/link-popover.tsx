import { Popover } from '@kobalte/core/popover'
import Link from 'lucide-solid/icons/link'
import { createSignal, Show } from 'solid-js'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { keepVisibleToScreenReaders, type TriggerProps } from '../ui/menu.tsx'
import '../ui/menu.css'
import { TextField } from '../ui/text-field.tsx'
import { applyEdit, selectedIn } from './apply-edit.ts'
import { hrefOf, linkAt, putLink } from './link-edits.ts'
import './format-toolbar.css'

interface LinkPopoverProps {
  field: () => HTMLTextAreaElement | undefined
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  tabIndex: number
  onFocus: () => void
}

/** A button that asks for the address of a link, and its text unless that is selected. */
export function LinkPopover(props: LinkPopoverProps) {
  return (
    <Popover open={props.isOpen} onOpenChange={props.onOpenChange} placement="top-start" gutter={4}>
      <Popover.Trigger
        as={(given: TriggerProps) => (
          <IconButton
            {...given}
            name="Link"
            keys="mod+k"
            size="small"
            tabIndex={props.tabIndex}
            onFocus={props.onFocus}
          >
            <Link />
          </IconButton>
        )}
      />
      <Popover.Portal ref={keepVisibleToScreenReaders}>
        <Popover.Content
          class="menu link-popover"
          aria-label="Link"
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            // Opened again meanwhile, it would close when the focus leaves it.
            if (!props.isOpen) props.field()?.focus()
          }}
        >
          <Show when={props.field()}>
            {(field) => <LinkForm field={field()} onDone={() => props.onOpenChange(false)} />}
          </Show>
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  )
}

function LinkForm(props: { field: HTMLTextAreaElement; onDone: () => void }) {
  // What is selected when it opens.
  const selected = selectedIn(props.field)
  const known = linkAt(selected)
  const place = known ?? { from: selected.start, to: selected.end }
  const selection = selected.text.slice(place.from, place.to)
  const isSelectionAddress = !known && hrefOf(selection) !== undefined
  const [label, setLabel] = createSignal(known?.label ?? (isSelectionAddress ? '' : selection))
  const [address, setAddress] = createSignal(known?.address ?? (isSelectionAddress ? selection.trim() : ''))
  const [isRefused, setRefused] = createSignal(false)

  function save() {
    const href = hrefOf(address())
    if (!href) return void setRefused(true)
    props.onDone()
    applyEdit(props.field, putLink(place, label(), href))
  }

  function remove() {
    if (!known) return
    props.onDone()
    const end = known.from + known.label.length
    applyEdit(props.field, { from: known.from, to: known.to, insert: known.label, start: end, end })
  }

  return (
    <form
      class="link-popover-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextField
        label="Address"
        value={address()}
        onInput={(typed) => {
          setAddress(typed)
          setRefused(false)
        }}
        {...(isRefused() && { error: 'Enter a web or email address.' })}
        placeholder="https://example.com"
        inputmode="url"
        autocomplete="off"
        spellcheck={false}
        ref={(input) => queueMicrotask(() => input.focus({ preventScroll: true }))}
      />
      <TextField label="Text" value={label()} onInput={setLabel} autocomplete="off" />
      <div class="link-popover-actions">
        <Show when={known}>
          <Button size="small" look="quiet" onClick={remove}>
            Remove link
          </Button>
        </Show>
        <Button size="small" look="primary" type="submit">
          {known ? 'Save' : 'Add link'}
        </Button>
      </div>
    </form>
  )
}
