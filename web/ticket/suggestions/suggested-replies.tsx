import { createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js'
import { timeOfId } from '../../api/create-id.ts'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import type { WritingField } from '../../formatting/writing-field.ts'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { presenceOf } from '../../live/live.ts'
import { announce } from '../../ui/announcer.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import type { ComposerState } from '../composer/composer-state.ts'
import { leaveFocusToPane } from '../focus-in-pane.ts'
import { MessageContent } from '../thread/message-text.tsx'
import type { TicketDetail, WaitingReply } from '../ticket-query.ts'
import './suggested-replies.css'
import { dismiss, isDismissed, isInReply, isUsedBy, type Suggestion, takeSuggestion } from './suggestion.ts'

const MAX_REASON_LENGTH = 500
/** The others are shown with all of the text. */
const SOURCES_AT_ONCE = 3
const KEYS = 'y'

interface SuggestedRepliesProps {
  detail: TicketDetail
  composer: ComposerState
  /** Where the reply is written. */
  field: () => WritingField | undefined
  /** Whether keys act on this ticket. */
  isTarget: () => boolean
}

/** Replies that programs suggest, until someone answers. None is sent unless an agent uses it and sends their reply. */
export function SuggestedReplies(props: SuggestedRepliesProps) {
  const session = useSession()
  const me = session().agent.id
  const shown = createMemo(() =>
    (props.detail.suggestions ?? []).filter(
      (one) => !isDismissed(one.id) && !isBeingAnswered(one, props.detail, props.composer, me),
    ),
  )
  const ids = createMemo(() => shown().map(({ id }) => id))
  const mine = createMemo(() => {
    const { reply } = props.composer.drafts
    return shown().filter((one) => isUsedBy(one, me) && isInReply(one, reply))
  })
  const isMine = (id: string) => mine().some((one) => one.id === id)
  /** What the key uses. */
  const next = createMemo(() => shown().find(({ id }) => !isMine(id)))

  /** The text at once: what is typed or sent next is meant for it. */
  function use(suggestion: Suggestion): void {
    props.composer.show('reply')
    const { text, format } = suggestion
    if (text.trim() === '') props.field()?.focus()
    else props.field()?.append(text, format)
    takeSuggestion(props.detail.ticket.id, suggestion, props.composer.drafts.reply)
  }

  useKeys(() =>
    actionsIn('Reply', [
      {
        id: 'ticket.use-suggestion',
        label: 'Use suggested reply',
        keys: [KEYS],
        isEnabled: () => props.isTarget() && next() !== undefined,
        run() {
          const suggestion = next()
          if (suggestion) use(suggestion)
        },
      },
    ]),
  )

  return (
    <Show when={ids().length > 0}>
      <section class="suggested-replies" aria-label="Suggested replies">
        <For each={ids()}>
          {(id) => {
            const suggestion = createMemo<Suggestion | undefined>(
              (last) => shown().find((one) => one.id === id) ?? last,
            )
            return (
              <Show when={suggestion()}>
                {(known) => (
                  <SuggestedReply
                    suggestion={known()}
                    isMine={isMine(id)}
                    ticketId={props.detail.ticket.id}
                    hasKey={id === next()?.id}
                    onUse={() => use(known())}
                    onDismiss={(reason) => void dismiss(props.detail.ticket.id, known(), reason)}
                  />
                )}
              </Show>
            )
          }}
        </For>
      </section>
    </Show>
  )
}

/** The agent's reply that was made from it is on its way: the server closes it then. */
function isBeingAnswered(
  suggestion: Suggestion,
  { waiting }: TicketDetail,
  { drafts }: ComposerState,
  me: string,
): boolean {
  if (!isUsedBy(suggestion, me)) return false
  const suggestedAt = Date.parse(suggestion.createdAt)
  const isWaiting = ({ id, agentId, isHeld }: WaitingReply) =>
    agentId === me && !isHeld && timeOfId(id) > suggestedAt
  return drafts.reply.state().sending?.isOut === true || waiting.some(isWaiting)
}

interface SuggestedReplyProps {
  ticketId: string
  suggestion: Suggestion
  /** It is in the agent's reply. */
  isMine: boolean
  /** It is the one that the key uses. */
  hasKey: boolean
  onUse: () => void
  onDismiss: (reason: string) => void
}

function SuggestedReply(props: SuggestedReplyProps) {
  const agents = useAgents()
  const [isOpen, setOpen] = createSignal(false)
  const [isDismissing, setDismissing] = createSignal(false)
  let row: HTMLElement | undefined
  let dismissButton: HTMLButtonElement | undefined
  leaveFocusToPane(() => row)
  const name = () => props.suggestion.by.name || 'A disconnected program'
  onMount(() => announce(`${name()} suggests a reply`))
  const inUse = () => {
    if (props.isMine) return 'In your reply'
    const { usedBy } = props.suggestion
    const here = presenceOf(props.ticketId).filter(({ agentId }) => usedBy.includes(agentId))
    const names = agents().flatMap((agent) =>
      here.some(({ agentId }) => agentId === agent.id) ? agent.name : [],
    )
    return names.length > 0 && `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} using this`
  }

  return (
    <article class="suggested-reply" aria-label={`Suggested by ${name()}`} ref={row}>
      <header class="suggested-reply-head">
        <Avatar name={name()} id={props.suggestion.by.id} size="small" isDecorative />
        <p class="suggested-reply-by">
          Suggested by <strong>{name()}</strong>{' '}
          <Show when={props.suggestion.confidence !== null}>
            <span class="muted" title="How sure the program is">
              · {Math.round((props.suggestion.confidence ?? 0) * 100)}%
            </span>{' '}
          </Show>
          <Show when={inUse()}>{(words) => <span class="suggested-reply-user">· {words()}</span>}</Show>
        </p>
        <Show
          when={isDismissing()}
          fallback={
            <>
              <Show when={!props.isMine}>
                <Button size="small" keys={props.hasKey ? KEYS : undefined} onClick={() => props.onUse()}>
                  Use<span class="unseen"> the reply by {name()}</span>
                </Button>
              </Show>
              <Button size="small" look="quiet" ref={dismissButton} onClick={() => setDismissing(true)}>
                Dismiss<span class="unseen"> the reply by {name()}</span>
              </Button>
            </>
          }
        >
          <DismissForm
            onDismiss={props.onDismiss}
            onCancel={() => {
              setDismissing(false)
              dismissButton?.focus()
            }}
          />
        </Show>
      </header>
      <SuggestedText {...props} isOpen={isOpen()} onOpen={setOpen} />
    </article>
  )
}

interface SuggestedTextProps extends Pick<SuggestedReplyProps, 'suggestion' | 'isMine'> {
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

/** Its first lines and sources, or all of them. Of a reply that is in the field below, only the sources. */
function SuggestedText(props: SuggestedTextProps) {
  const [isCut, setCut] = createSignal(false)
  const sizes = new ResizeObserver(([entry]) => {
    const { scrollHeight = 0, clientHeight = 0 } = entry?.target ?? {}
    setCut(scrollHeight > clientHeight + 1)
  })
  onCleanup(() => sizes.disconnect())
  const { sources } = props.suggestion
  const hasMore = () => props.isOpen || props.isMine || isCut() || sources.length > SOURCES_AT_ONCE
  return (
    <>
      <Show when={props.isOpen || !props.isMine}>
        <div
          class="suggested-reply-text"
          data-cut={(isCut() && !props.isOpen) || undefined}
          data-open={props.isOpen || undefined}
          ref={(element) => sizes.observe(element)}
        >
          <MessageContent
            text={props.suggestion.text}
            format={props.suggestion.format}
            attachments={props.suggestion.attachments}
          />
        </div>
      </Show>
      <Show when={hasMore() || sources.length > 0}>
        <div class="suggested-reply-foot">
          <Show when={hasMore()}>
            <button
              type="button"
              class="suggested-reply-all text-button"
              aria-expanded={props.isOpen}
              onClick={() => props.onOpen(!props.isOpen)}
            >
              {props.isOpen ? 'Show less' : 'Show all'}
            </button>
          </Show>
          <Show when={sources.length > 0}>
            <ul class="suggested-reply-sources" aria-label="Sources">
              <For each={props.isOpen ? sources : sources.slice(0, SOURCES_AT_ONCE)}>
                {({ title, url }) => (
                  <li>
                    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
                      <bdi class="cut">{title}</bdi> <span class="muted">{URL.parse(url)?.host}</span>
                    </a>
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </div>
      </Show>
    </>
  )
}

/** Asks why. The program may learn from it. */
function DismissForm(props: { onDismiss: (reason: string) => void; onCancel: () => void }) {
  let reason: HTMLInputElement | undefined
  onMount(() => reason?.focus())
  return (
    <form
      class="suggested-reply-dismiss"
      onSubmit={(event) => {
        event.preventDefault()
        props.onDismiss(reason?.value.trim() ?? '')
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        props.onCancel()
      }}
    >
      <input
        class="field-input"
        aria-label="Reason (optional)"
        placeholder="Reason (optional)"
        maxLength={MAX_REASON_LENGTH}
        autocomplete="off"
        ref={reason}
      />
      <Button size="small" type="submit">
        Dismiss
      </Button>
      <Button size="small" look="quiet" onClick={() => props.onCancel()}>
        Cancel
      </Button>
    </form>
  )
}
