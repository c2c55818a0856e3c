import Bookmark from 'lucide-solid/icons/bookmark'
import Search from 'lucide-solid/icons/search'
import X from 'lucide-solid/icons/x'
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from 'solid-js'
import { useAgents, useTags } from '../../api/workspace.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { isComposing } from '../../ui/ime.ts'
import { KeyHint } from '../../ui/key-hint.tsx'
import { createOptions, OptionRow } from '../../ui/options.tsx'
import type { InboxLocation } from '../location.ts'
import { SEARCH } from '../rail/views.ts'
import './search-field.css'

/** Loaded when the field gets the focus. Until then, it searches for whatever is typed. */
const [suggesting, setSuggesting] = createSignal<typeof import('./suggestions.ts')>()

export async function loadSuggestions(): Promise<void> {
  const loaded = await import('./suggestions.ts').catch(() => undefined)
  setSuggesting(() => loaded)
}

/** Long enough for the next letter, short enough to feel immediate. */
const PAUSE_MS = 120

interface SearchFieldProps {
  location: InboxLocation
  ref: (field: HTMLInputElement) => void
  /** Moves the focus to the results. */
  onFocusResults: () => void
  onSave: () => void
}

/** Searches while typing, and suggests filters. */
export function SearchField(props: SearchFieldProps) {
  const agents = useAgents()
  const tags = useTags()
  const isSearching = () => props.location.viewId() === SEARCH
  const [text, setText] = createSignal(isSearching() ? props.location.q() : '')
  const [isFocused, setFocused] = createSignal(false)
  const [isClosed, setClosed] = createSignal(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => clearTimeout(timer))

  const suggestions = createMemo(() =>
    isFocused() && !isClosed()
      ? (suggesting()?.suggestionsFor(text(), { agents: agents(), tags: tags(), today: new Date() }) ?? [])
      : [],
  )
  const options = createOptions(() => suggestions().length, { mayBeNone: true })
  createEffect(on(suggestions, options.reset, { defer: true }))
  // Back, forward and links change the field, but never while it is typed in.
  createEffect(
    on([isSearching, () => props.location.q()], ([searching, q]) => {
      if (timer === undefined && text().trim() !== (searching ? q.trim() : '')) setText(searching ? q : '')
    }),
  )

  function write(next: string): void {
    setText(next)
    setClosed(false)
    clearTimeout(timer)
    // The last results stay until the search is complete. Enter searches for whatever is typed.
    timer = suggesting()?.isUnfinished(next) ? undefined : setTimeout(search, PAUSE_MS)
  }

  function search(): void {
    clearTimeout(timer)
    timer = undefined
    props.location.search(text())
  }

  function accept(word: string): void {
    write(suggesting()?.withWord(text(), word) ?? word)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event) || options.move(event)) return
    const chosen = suggestions()[options.active()]
    if (event.key === 'ArrowDown') props.onFocusResults()
    else if (event.key === 'Tab' && !event.shiftKey && text().trim() && suggestions()[0])
      accept((chosen ?? suggestions()[0])?.text ?? '')
    else if (event.key === 'Enter' && chosen) accept(chosen.text)
    else if (event.key === 'Enter') {
      search()
      setClosed(true)
      props.onFocusResults()
    } else if (event.key === 'Escape') goBack()
    else return
    event.preventDefault()
  }

  /** Closes the suggestions first, then the search. */
  function goBack(): void {
    if (suggestions().length > 0 && text()) setClosed(true)
    else if (text()) clear()
    else props.onFocusResults()
  }

  function clear(): void {
    setText('')
    search()
  }

  return (
    <search class="search-field">
      <Search class="search-field-icon" />
      <input
        {...options.field}
        role="combobox"
        ref={props.ref}
        class="field-input search-field-input"
        aria-label="Search tickets"
        aria-expanded={suggestions().length > 0}
        aria-keyshortcuts="/"
        placeholder="Search"
        value={text()}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={() => {
          if (!suggesting()) void loadSuggestions()
          setFocused(true)
          setClosed(false)
        }}
        onBlur={() => setFocused(false)}
      />
      <span class="search-field-end">
        <Show when={text()} fallback={<KeyHint keys="/" />}>
          <Show when={isSearching() && props.location.q().trim()}>
            <IconButton name="Save as view" size="small" onClick={() => props.onSave()}>
              <Bookmark />
            </IconButton>
          </Show>
          <IconButton name="Clear search" size="small" onClick={clear}>
            <X />
          </IconButton>
        </Show>
      </span>
      <div
        class="menu search-field-suggestions"
        role="listbox"
        id={options.listId}
        aria-label="Search filters"
        hidden={suggestions().length === 0}
      >
        <For each={suggestions()}>
          {(suggestion, index) => (
            <OptionRow options={options} place={index()} onPick={() => accept(suggestion.text)}>
              <code class="search-field-suggestion">{suggestion.text}</code>
              <span class="search-field-detail cut">{suggestion.detail}</span>
            </OptionRow>
          )}
        </For>
      </div>
    </search>
  )
}
