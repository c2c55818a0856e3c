import Ellipsis from 'lucide-solid/icons/ellipsis'
import { createSignal, lazy, onMount, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { MessageText } from '../thread/message-text.tsx'
import type { MessageEntry } from '../ticket-query.ts'
import './mail-body.css'
import type { MailView } from './mail-view.ts'

/** Loaded with the first mail that has formatting. If that fails, the text is shown. */
const MailFrame = lazy(() =>
  import('./mail-frame.tsx').then(
    ({ MailFrame }) => ({ default: MailFrame }),
    () => ({ default: NoFrame }),
  ),
)

interface MailBodyProps {
  message: MessageEntry
  ticketId: string
  /** The name of who wrote it. */
  author: string
  terms: readonly string[]
  view: MailView
}

/** What a mail says: its text, or its formatting in a frame. The mail it answers is loaded on demand. */
export function MailBody(props: MailBodyProps) {
  const [hasNoQuote, setNoQuote] = createSignal(false)
  const src = () => {
    const images = props.view.isBlocking() ? 'own' : 'all'
    const quote = props.view.isQuoteShown() ? 'shown' : 'hidden'
    return `${contentPath(props.ticketId, props.message.id)}/frame?images=${images}&quote=${quote}`
  }
  return (
    <div class="mail-body">
      <Show when={props.view.isFormatted()} fallback={<PlainMail {...props} />}>
        <Show when={props.view.isBlocking()}>
          <p class="mail-body-images">
            Remote images are blocked.
            <Button size="small" look="quiet" onClick={props.view.showImages}>
              Show images
            </Button>
          </p>
        </Show>
        <MailFrame
          src={src()}
          title={`Message from ${props.author}`}
          text={props.message.text}
          terms={props.terms}
          onQuote={(isHidden) => setNoQuote(!isHidden && !props.view.isQuoteShown())}
          onGiveUp={() => props.view.setFormatted(false)}
        />
        <Show when={props.message.hasQuote && !hasNoQuote()}>
          <QuoteToggle
            isOpen={props.view.isQuoteShown()}
            onToggle={() => props.view.setQuoteShown(!props.view.isQuoteShown())}
          />
        </Show>
      </Show>
      <Show when={props.message.html === 'formatted'}>
        <p class="mail-body-actions">
          <button type="button" onClick={() => props.view.setFormatted(!props.view.isFormatted())}>
            {props.view.isFormatted() ? 'Plain text' : 'Formatted'}
          </button>
          <a href={originalPath(props.ticketId, props.message.id)} download="">
            Download original
          </a>
        </p>
      </Show>
    </div>
  )
}

function NoFrame(props: { onGiveUp: () => void }) {
  onMount(() => props.onGiveUp())
  return null
}

/** The raw mail, as it arrived. */
export function originalPath(ticketId: string, messageId: string): string {
  return `${contentPath(ticketId, messageId)}/original`
}

function contentPath(ticketId: string, messageId: string): string {
  return `/console/tickets/${ticketId}/messages/${messageId}`
}

function PlainMail(props: MailBodyProps) {
  const [quoted, setQuoted] = createSignal<string>()
  const [isLoading, setLoading] = createSignal(false)

  async function toggle(): Promise<void> {
    if (props.view.isQuoteShown()) return props.view.setQuoteShown(false)
    props.view.setQuoteShown(true)
    if (quoted() !== undefined) return
    setLoading(true)
    try {
      const { id } = props.message
      const contents = await ask(
        api.console.tickets({ id: props.ticketId }).messages({ messageId: id }).contents.get(),
      )
      setQuoted(contents.quoted ?? '')
    } catch (error) {
      props.view.setQuoteShown(false)
      toastError(errorMessage(error))
    }
    setLoading(false)
  }

  return (
    <>
      <MessageText text={props.message.text} format={props.message.format} terms={props.terms} isCut />
      <Show when={props.message.hasQuote}>
        <QuoteToggle isOpen={props.view.isQuoteShown()} onToggle={() => void toggle()} />
        <Show when={props.view.isQuoteShown()}>
          <Show when={!isLoading()} fallback={<Skeleton lines={2} label="Loading the quoted text" />}>
            <div class="message-text-quote">
              <MessageText text={quoted() ?? ''} format="plain" isCut />
            </div>
          </Show>
        </Show>
      </Show>
    </>
  )
}

function QuoteToggle(props: { isOpen: boolean; onToggle: () => void }) {
  const name = () => (props.isOpen ? 'Hide quoted text' : 'Show quoted text')
  return (
    <button
      type="button"
      class="message-text-quote-toggle"
      aria-expanded={props.isOpen}
      aria-label={name()}
      title={name()}
      onClick={() => props.onToggle()}
    >
      <Ellipsis />
    </button>
  )
}
