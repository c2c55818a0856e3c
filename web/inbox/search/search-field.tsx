import Bookmark from 'lucide-solid/icons/bookmark'
import Search from 'lucide-solid/icons/search'
import X from 'lucide-solid/icons/x'
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from 'solid-js'
import { useAgents, useTags } from '../../api/workspace.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { isComposing } from '../../ui/ime.ts'
import { KeyHint } from '../../ui/key-hint.tsx'
import { createOptions, OptionRow } from '../../ui/options.tsx'
import type { Place } from '../location.ts'
import './search-field.css'
import { SEARCH } from '../rail/views.ts'
import { isUnfinished, searchWords, withWord } from './search-words.ts'

/** Long enough for the next letter, short enough to feel like an answer to each. */
const PAUSE_MS = 120

interface SearchFieldProps {
  place: Place
  ref: (field: HTMLInputElement) => void
  /** Down into the results. */
  onLeaveDown: () => void
  onSave: () => void
}

/** Searches while it is typed into, and says what may be typed. */
export function SearchField(props: SearchFieldProps) {
  const agents = useAgents()
  const tags = useTags()
  const isSearching = () => props.place.viewId() === SEARCH
  const [text, setText] = createSignal(isSearching() ? props.place.q() : '')
  const [isFocused, setFocused] = createSignal(false)
  const [isClosed, setClosed] = createSignal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => clearTimeout(timer))

  const words = createMemo(() =>
    isFocused() && !isClosed()
      ? searchWords(text(), { agents: agents(), tags: tags(), today: new Date() })
      : [],
  )
  const options = createOptions(() => words().length, { mayBeNone: true })
  createEffect(on(words, options.reset, { defer: true }))
  // Back, forward and links change the field; what is just being typed does not.
  createEffect(
    on([isSearching, () => props.place.q()], ([searching, q]) => {
      if (timer === undefined && text().trim() !== (searching ? q.trim() : '')) setText(searching ? q : '')
    }),
  )

  function write(next: string): void {
    setText(next)
    setClosed(false)
    clearTimeout(timer)
    // What was found last stays until there is something to search for; Enter searches whatever stands there.
    timer = isUnfinished(next) ? undefined : setTimeout(search, PAUSE_MS)
  }

  function search(): void {
    clearTimeout(timer)
    timer = undefined
    props.place.search(text())
  }

  function take(word: string): void {
    write(withWord(text(), word))
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event) || options.move(event)) return
    const chosen = words()[options.active()]
    if (event.key === 'ArrowDown') props.onLeaveDown()
    else if (event.key === 'Tab' && !event.shiftKey && text().trim() && words()[0])
      take((chosen ?? words()[0])?.text ?? '')
    else if (event.key === 'Enter' && chosen) take(chosen.text)
    else if (event.key === 'Enter') {
      search()
      setClosed(true)
      props.onLeaveDown()
    } else if (event.key === 'Escape') goBack()
    else return
    event.preventDefault()
  }

  /** First the suggestions go, then the search. */
  function goBack(): void {
    if (words().length > 0 && text()) setClosed(true)
    else if (text()) clear()
    else props.onLeaveDown()
  }

  function clear(): void {
    setText('')
    search()
  }

  return (
    <search class="search">
      <Search class="search-icon" />
      <input
        {...options.field}
        role="combobox"
        ref={props.ref}
        class="input search-input"
        aria-label="Search tickets"
        aria-expanded={words().length > 0}
        aria-keyshortcuts="/"
        placeholder="Search"
        value={text()}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setFocused(true)
          setClosed(false)
        }}
        onBlur={() => setFocused(false)}
      />
      <span class="search-end">
        <Show when={text()} fallback={<KeyHint keys="/" />}>
          <Show when={isSearching() && props.place.q().trim()}>
            <IconButton name="Save as a view" size="small" onClick={() => props.onSave()}>
              <Bookmark />
            </IconButton>
          </Show>
          <IconButton name="Clear the search" size="small" onClick={clear}>
            <X />
          </IconButton>
        </Show>
      </span>
      <div
        class="menu search-words"
        role="listbox"
        id={options.listId}
        aria-label="Search words"
        hidden={words().length === 0}
      >
        <For each={words()}>
          {(word, index) => (
            <OptionRow options={options} place={index()} onPick={() => take(word.text)}>
              <code class="search-word">{word.text}</code>
              <span class="search-detail">{word.detail}</span>
            </OptionRow>
          )}
        </For>
      </div>
    </search>
  )
}
