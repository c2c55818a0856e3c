import { createEffect, createSignal, Show, untrack } from 'solid-js'
import { fill } from '../texts/texts.ts'
import { ChatIcon } from './chat-attachment.tsx'
import { ChatFiles } from './chat-files.tsx'
import { ChatQuestions, type CheckAnswers } from './chat-questions.tsx'
import { createFileQueue, type FileQueue } from './file-queue.ts'
import { useWidget } from './widget-context.ts'

const ATTACH = 'M20 11.5l-8 8a5 5 0 0 1-7-7l8-8a3.4 3.4 0 0 1 5 5l-8 8a1.7 1.7 0 0 1-2.5-2.5l7.5-7.5'
const MAX_FIELD_HEIGHT = 160
const STOPPED_TYPING_MS = 4_000

/** Where the visitor writes. `onReady` gets what adds files to the next message. */
export function ChatComposer(props: { onReady(addFiles: (files: File[]) => void): void }) {
  const { client, texts } = useWidget()
  const [text, setText] = createSignal('')
  const [problem, setProblem] = createSignal('')
  const [queue, setQueue] = createSignal<FileQueue>()
  let checkAnswers: CheckAnswers | undefined
  let field!: HTMLTextAreaElement
  let picker!: HTMLInputElement
  let stopped: ReturnType<typeof setTimeout> | undefined

  /** The server takes files after the first message. */
  const areFilesAllowed = () => client.conversations.list().length > 0
  const isAsked = () => {
    const { name, email, fields } = client.settings().questions
    if (name === 'off' && email === 'off' && fields.length === 0) return false
    // What was refused may be for a missing answer.
    return !areFilesAllowed() && client.unsent(client.ref()).every(({ refusal }) => refusal)
  }
  const isReady = () =>
    (text().trim() !== '' || (queue()?.files().length ?? 0) > 0) && !queue()?.isUploading()

  createEffect(() => {
    const current = client.ref()
    // After a reload, the conversation is known later than its draft's place.
    client.conversation()?.id
    setText(untrack(() => client.draft(current)))
    setProblem('')
  })
  createEffect(() => {
    if (field.value !== text()) field.value = text()
    if (client.isOpen()) queueMicrotask(fitField)
  })

  function fitField(): void {
    field.style.height = 'auto'
    if (field.scrollHeight > 0) field.style.height = `${Math.min(field.scrollHeight, MAX_FIELD_HEIGHT)}px`
  }

  function onInput(): void {
    setText(field.value)
    setProblem('')
    client.setDraft(client.ref(), field.value)
    client.setTyping(field.value !== '')
    clearTimeout(stopped)
    stopped = setTimeout(client.setTyping, STOPPED_TYPING_MS, false)
  }

  function addFiles(files: File[]): void {
    if (!areFilesAllowed() || files.length === 0) return
    if (!queue()) setQueue(createFileQueue(client, texts))
    queue()?.add(files)
    field.focus()
  }
  props.onReady(addFiles)

  function send(): void {
    if (!isReady()) return
    const { maxTextLength } = client.settings()
    const trimmed = text().trim()
    if (trimmed.length > maxTextLength) {
      setProblem(fill(texts().textTooLong, { count: maxTextLength }))
      return
    }
    const answers = isAsked() ? checkAnswers?.() : {}
    if (!answers) return
    const attachments = queue()?.take() ?? []
    if (trimmed === '' && attachments.length === 0) return
    clearTimeout(stopped)
    client.setDraft(client.ref(), '')
    client.send({ text: trimmed, attachments, answers })
    client.setTyping(false)
    setText('')
    field.focus()
  }

  /** On a phone, Enter begins a new line. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    if (matchMedia('(pointer: coarse)').matches) return
    event.preventDefault()
    send()
  }

  function onPaste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length > 0) event.preventDefault()
    addFiles(files)
  }

  return (
    <form
      class="chat-composer"
      novalidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Show when={isAsked()}>
        <ChatQuestions
          onReady={(check) => {
            checkAnswers = check
          }}
        />
      </Show>
      <Show when={queue()}>{(shown) => <ChatFiles queue={shown()} />}</Show>
      <p class="chat-questions-problem" role="alert">
        {problem()}
      </p>
      <div class="chat-composer-row">
        <Show when={areFilesAllowed()}>
          <button
            type="button"
            class="chat-panel-button"
            aria-label={texts().attach}
            onClick={() => picker.click()}
          >
            <ChatIcon path={ATTACH} />
          </button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={() => {
              addFiles([...(picker.files ?? [])])
              picker.value = ''
            }}
          />
        </Show>
        <textarea
          ref={field}
          class="chat-composer-field"
          rows="1"
          dir="auto"
          aria-label={texts().message}
          placeholder={
            client.conversation()?.state === 'ended' ? texts().continueMessage : texts().writeMessage
          }
          onInput={onInput}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <button
          type="submit"
          class="chat-panel-button chat-composer-send"
          aria-label={texts().send}
          aria-disabled={!isReady()}
        >
          <ChatIcon path="M12 19V5M5.5 11.5L12 5l6.5 6.5" />
        </button>
      </div>
    </form>
  )
}
