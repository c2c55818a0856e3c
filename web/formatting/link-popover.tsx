import { Popover } from '@kobalte/core/popover'
import Link from 'lucide-solid/icons/link'
import { createSignal, Show } from 'solid-js'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { keepVisibleToScreenReaders, type TriggerProps } from '../ui/menu.tsx'
import '../ui/menu.css'
import { knownActions, useKeys } from '../keyboard/keys.ts'
import { TextField } from '../ui/text-field.tsx'
import { hrefOf } from './link-edits.ts'
import type { FieldFormats, WritingField } from './writing-field.ts'
import './format-toolbar.css'

interface LinkPopoverProps {
  field: () => WritingField | undefined
  formats: FieldFormats | undefined
  /** Where there is little space, the toolbar is hidden until it is asked for. */
  isButtonHidden: () => boolean
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  tabIndex: number
  onFocus: () => void
}

/** A button that asks for the address of a link, and its text unless that is selected. */
export function LinkPopover(props: LinkPopoverProps) {
  return (
    <Popover
      open={props.isOpen}
      onOpenChange={props.onOpenChange}
      anchorRef={() => (props.isButtonHidden() ? props.field()?.element : undefined)}
      placement="top-start"
      gutter={4}
    >
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
          <Show when={props.formats}>
            {(formats) => (
              <LinkForm
                formats={formats()}
                onDone={() => props.onOpenChange(false)}
                onPalette={() => {
                  props.onOpenChange(false)
                  showPalette(props.field())
                }}
              />
            )}
          </Show>
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  )
}

/** Opens the command menu, which returns the focus to the field. Not over a dialog, which it would close. */
function showPalette(field: WritingField | undefined): void {
  field?.focus()
  if (field?.element.closest('[role="dialog"]')) return
  knownActions()
    .find(({ id }) => id === 'palette')
    ?.run()
}

function LinkForm(props: { formats: FieldFormats; onDone: () => void; onPalette: () => void }) {
  // What is selected when it opens.
  const known = props.formats.link()
  const isSelectionAddress = !known.isLink && hrefOf(known.label) !== undefined
  const [label, setLabel] = createSignal(isSelectionAddress ? '' : known.label)
  const [address, setAddress] = createSignal(isSelectionAddress ? known.label.trim() : known.address)
  const [isRefused, setRefused] = createSignal(false)
  useKeys(() => [
    {
      id: 'format.link-palette',
      label: 'Command menu',
      section: 'Reply',
      keys: ['mod+k'],
      isForFields: true,
      isForDialogs: true,
      isKeyOnly: true,
      isUnlisted: true,
      run: props.onPalette,
    },
  ])

  function save() {
    const href = hrefOf(address())
    if (!href) return void setRefused(true)
    props.onDone()
    props.formats.setLink(label(), href)
  }

  function remove() {
    props.onDone()
    props.formats.setLink(known.label, undefined)
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
        <Show when={known.isLink}>
          <Button size="small" look="quiet" onClick={remove}>
            Remove link
          </Button>
        </Show>
        <Button size="small" look="primary" type="submit">
          {known.isLink ? 'Save' : 'Add link'}
        </Button>
      </div>
    </form>
  )
}
