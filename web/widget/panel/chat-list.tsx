import { For, Show } from 'solid-js'
import type { Conversation } from '../contract.ts'
import { fill } from '../texts/texts.ts'
import { ChatIcon } from './chat-attachment.tsx'
import { timeOf, useWidget } from './widget-context.ts'

/** The visitor's conversations, newest activity first. */
export function ChatList() {
  const { client, texts, language } = useWidget()

  function dateOf(iso: string): string {
    const date = new Date(iso)
    if (date.toDateString() === new Date().toDateString()) return timeOf(iso, language())
    return date.toLocaleString(language(), { day: 'numeric', month: 'short' })
  }

  function previewOf({ preview }: Conversation): string {
    const text = preview.text || texts().file
    return preview.isMine ? fill(texts().you, { text }) : text
  }

  return (
    <div class="chat-list">
      <h3 class="chat-list-heading chat-panel-soft">{texts().conversations}</h3>
      <ul class="chat-list-rows">
        <For each={client.conversations.list()}>
          {(conversation) => (
            <li>
              <button
                type="button"
                class="chat-list-row"
                onClick={() => client.go({ page: 'conversation', ref: conversation.id })}
              >
                <span class="chat-list-top">
                  <span class="chat-list-name chat-panel-cut" dir="auto">
                    {conversation.agent?.name ?? (client.settings().title || texts().someone)}
                  </span>
                  <time class="chat-panel-soft">{dateOf(conversation.updatedAt)}</time>
                </span>
                <span class="chat-list-bottom">
                  <span
                    class="chat-list-preview chat-panel-cut"
                    classList={{ 'is-unread': conversation.unread > 0 }}
                    dir="auto"
                  >
                    {previewOf(conversation)}
                  </span>
                  <Show when={conversation.unread > 0}>
                    <span class="chat-list-badge">
                      <span aria-hidden="true">{conversation.unread}</span>
                      <span class="chat-panel-hidden">
                        {fill(texts().unread, { count: conversation.unread })}
                      </span>
                    </span>
                  </Show>
                  <Show when={conversation.state === 'ended'}>
                    <span class="chat-panel-soft">{texts().ended}</span>
                  </Show>
                </span>
              </button>
            </li>
          )}
        </For>
      </ul>
      <div class="chat-list-foot">
        <button type="button" class="chat-panel-action" onClick={() => client.go('new')}>
          <ChatIcon path="M4 20h4L19.5 8.5a2.1 2.1 0 0 0-3-3L5 17z" />
          {texts().newConversation}
        </button>
      </div>
    </div>
  )
}
