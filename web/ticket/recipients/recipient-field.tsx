import X from 'lucide-solid/icons/x'
import { createEffect, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js'
import { announce } from '../../ui/announcer.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { isComposing } from '../../ui/ime.ts'
import { createOptions, OptionRow } from '../../ui/options.tsx'
import { added, includes, parseAddresses, type Recipient } from './address-list.ts'
import './recipient-field.css'

const MAX_SUGGESTIONS = 6
const PAUSE_MS = 120

interface RecipientFieldProps {
  /** "To" */
  label: string
  people: readonly Recipient[]
  onChange: (people: Recipient[]) => void
  /** What is typed is no address yet. */
  onUnfinished?: ((isUnfinished: boolean) => void) | undefined
  /** Finds people by what is typed. */
  suggest?: ((text: string) => Promise<Recipient[]>) | undefined
  /** A fault of the list. */
  error?: string | undefined
  field?: (field: HTMLInputElement) => void
}

/**
 * A list of addresses as chips. Enter adds the highlighted suggestion. Without one, Enter adds what was typed, as do a comma
 * and leaving the field. Backspace removes the last chip, and the left arrow key leads to the others.
 */
export function RecipientField(props: RecipientFieldProps) {
  const [text, setText] = createSignal('')
  const [fault, setFault] = createSignal('')
  const [found, setFound] = createSignal<Recipient[]>([])
  const [hasFocus, setFocus] = createSignal(false)
  const id = createUniqueId()
  let field: HTMLInputElement | undefined
  let chips: HTMLUListElement | undefined

  const suggestions = () => {
    const isShown = hasFocus() && text().trim() !== ''
    return isShown ? found().filter(({ address }) => !includes(props.people, address)) : []
  }
  const options = createOptions(() => suggestions().length, { mayBeNone: true })
  const error = () => fault() || props.error

  createEffect(() => {
    const typed = text().trim()
    const { suggest } = props
    if (typed === '' || !suggest) return void setFound([])
    let isOver = false
    const timer = setTimeout(() => {
      void suggest(typed).then(
        (people) => !isOver && show(people, typed),
        () => {},
      )
    }, PAUSE_MS)
    onCleanup(() => {
      isOver = true
      clearTimeout(timer)
    })
  })
  createEffect(on(text, options.reset, { defer: true }))
  createEffect(() => props.onUnfinished?.(text().trim() !== ''))

  /** For the letters of a name, Enter takes the first suggestion. An address is meant as it is typed. */
  function show(people: Recipient[], typed: string): void {
    setFound(people.slice(0, MAX_SUGGESTIONS))
    if (!typed.includes('@')) options.setActive(0)
  }

  function write(typed: string): void {
    setText(typed)
    setFault('')
  }

  function add(people: Recipient[]): void {
    if (people.length === 0) return
    props.onChange(added(props.people, people))
    announce(`Added ${people.map(({ address }) => address).join(', ')}`)
  }

  /** Adds the addresses in what was typed. The rest stays, with a fault. */
  function commit(typed = text()): void {
    const { people, rest } = parseAddresses(typed)
    add(people)
    setText(rest)
    setFault(rest === '' ? '' : `“${rest}” is not an email address.`)
  }

  function pick(person: Recipient | undefined): void {
    if (!person) return
    add([person])
    write('')
  }

  function remove(person: Recipient): void {
    props.onChange(props.people.filter((other) => other !== person))
    announce(`Removed ${person.address}`)
    field?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event) || options.move(event)) return
    const { key } = event
    const isAtStart = field?.selectionStart === 0 && field.selectionEnd === 0
    const last = props.people.at(-1)
    const isSending = event.ctrlKey || event.metaKey
    if (key === 'Enter') {
      if (!isSending) event.preventDefault()
      const active = suggestions()[options.active()]
      // Nothing is sent to someone who was only suggested.
      if (active && !isSending) pick(active)
      else commit()
    } else if (key === ',' || key === ';' || (key === ' ' && isOneAddress(text()))) {
      event.preventDefault()
      commit()
    } else if (key === 'Backspace' && text() === '' && last) {
      event.preventDefault()
      remove(last)
    } else if (key === 'ArrowLeft' && isAtStart) {
      focusChip(props.people.length - 1)
    } else if (key === 'Escape' && suggestions().length > 0) {
      // Otherwise it would close the dialog.
      event.preventDefault()
      setFound([])
    }
  }

  function onChipKeyDown(event: KeyboardEvent, place: number): void {
    const person = props.people[place]
    if (event.key === 'ArrowLeft') focusChip(place - 1)
    else if (event.key === 'ArrowRight' && !focusChip(place + 1)) field?.focus()
    else if ((event.key === 'Backspace' || event.key === 'Delete') && person) {
      event.preventDefault()
      remove(person)
    }
  }

  function focusChip(place: number): boolean {
    const button = chips?.querySelectorAll('button')[place]
    button?.focus()
    return button !== undefined
  }

  return (
    <div class="recipient-field">
      {/* A click anywhere in it is a click into the field. */}
      <label class="recipient-field-line" for={id} data-invalid={error() ? '' : undefined}>
        <span class="recipient-field-label">{props.label}</span>
        <ul class="recipient-field-chips" aria-label={props.label} ref={chips}>
          <For each={props.people}>
            {(person, place) => (
              <li class="recipient-field-chip" title={person.address}>
                <span class="recipient-field-name cut">{person.name || person.address}</span>
                <button
                  type="button"
                  tabIndex={-1}
                  aria-label={`Remove ${person.address}`}
                  onClick={(event) => {
                    event.preventDefault()
                    remove(person)
                  }}
                  onKeyDown={(event) => onChipKeyDown(event, place())}
                >
                  <X />
                </button>
              </li>
            )}
          </For>
        </ul>
        <input
          {...options.field}
          id={id}
          type="text"
          inputMode="email"
          role="combobox"
          class="recipient-field-input ringless"
          aria-label={props.label}
          aria-expanded={suggestions().length > 0}
          aria-invalid={error() ? true : undefined}
          aria-describedby={error() ? `${id}-error` : undefined}
          placeholder={props.people.length === 0 ? 'name@example.com' : ''}
          value={text()}
          ref={(element) => {
            field = element
            props.field?.(element)
          }}
          onInput={(event) => write(event.currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData('text/plain') ?? ''
            if (text() !== '' || parseAddresses(pasted).people.length === 0) return
            event.preventDefault()
            commit(pasted)
          }}
          // On the element, so that it runs before the shortcuts of the page: Ctrl+Enter adds what is typed, and sends.
          on:keydown={onKeyDown}
          onFocus={() => setFocus(true)}
          onBlur={() => {
            setFocus(false)
            commit()
          }}
        />
      </label>
      <div
        class="recipient-field-suggestions menu"
        role="listbox"
        id={options.listId}
        aria-label={`Suggestions for ${props.label}`}
        hidden={suggestions().length === 0}
      >
        <For each={suggestions()}>
          {(person, place) => (
            <OptionRow
              options={options}
              place={place()}
              onPick={() => pick(person)}
              onPoint={() => options.setActive(place())}
            >
              <span class="menu-text">{person.name || person.address}</span>
              <Show when={person.name}>
                <span class="recipient-field-detail cut">{person.address}</span>
              </Show>
            </OptionRow>
          )}
        </For>
      </div>
      <Show when={error()}>{(text) => <ErrorText id={`${id}-error`}>{text()}</ErrorText>}</Show>
    </div>
  )
}

function isOneAddress(text: string): boolean {
  const { people, rest } = parseAddresses(text)
  return people.length === 1 && rest === ''
}
