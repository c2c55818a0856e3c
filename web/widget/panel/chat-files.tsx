import { For, Show } from 'solid-js'
import { fill } from '../texts/texts.ts'
import { ChatIcon, CLOSE, FILE } from './chat-attachment.tsx'
import type { FileQueue } from './file-queue.ts'
import { useWidget } from './widget-context.ts'

/** The files of the next message. */
export function ChatFiles(props: { queue: FileQueue }) {
  const { client, texts } = useWidget()
  return (
    <ul class="chat-files">
      <For each={props.queue.files()}>
        {(one) => (
          <li class="chat-files-row" classList={{ 'is-problem': one.problem !== '' }}>
            <ChatIcon path={FILE} />
            <span class="chat-files-name chat-panel-cut" dir="auto">
              {one.problem || one.file.name}
            </span>
            <Show when={!one.uploaded && one.problem === ''}>
              <progress
                class="chat-files-progress"
                max="1"
                value={one.progress()}
                aria-label={fill(texts().uploading, { name: one.file.name })}
              />
            </Show>
            <Show when={one.problem !== '' && one.file.size <= client.settings().maxFileBytes}>
              <button type="button" class="chat-panel-link" onClick={() => props.queue.retry(one.key)}>
                {texts().tryAgain}
              </button>
            </Show>
            <button
              type="button"
              class="chat-panel-button"
              aria-label={fill(texts().removeFile, { name: one.file.name })}
              onClick={() => props.queue.remove(one.key)}
            >
              <ChatIcon path={CLOSE} />
            </button>
          </li>
        )}
      </For>
    </ul>
  )
}
