import ChevronRight from 'lucide-solid/icons/chevron-right'
import { createSignal, onMount, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { MessageText, QuoteToggle } from '../thread/message-text.tsx'
import type { MessageEntry } from '../ticket-query.ts'
import './mail-body.css'
import type { MailView } from './mail-view.ts'

/** Loaded with the first mail that has formatting. If that fails, the text is shown. */
const MailFrame = lazyPart(async () => (await import('./mail-frame.tsx')).MailFrame, NoFrame)

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
  return (
    <Show when={props.message.email?.forwardOf} fallback={<OneMail {...props} />}>
      <ForwardingMail {...props} />
    </Show>
  )
}

function OneMail(props: MailBodyProps) {
  const [hasNoQuote, setNoQuote] = createSignal(false)
  return (
    <div class="mail-body">
      <Show when={props.view.isFormatted()} fallback={<PlainMail {...props} />}>
        <FormattedMail
          {...props}
          onQuote={(isHidden) => setNoQuote(!isHidden && !props.view.isQuoteShown())}
        />
        <Show when={props.message.hasQuote && !hasNoQuote()}>
          <ToggleOf view={props.view} />
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

/** What an agent wrote to someone outside, and on a click the message that went with it, as it went out. */
function ForwardingMail(props: MailBodyProps) {
  const isOpen = () => props.view.isQuoteShown()
  return (
    <div class="mail-body">
      <Show when={props.message.text.trim()}>
        <MessageText
          text={props.message.text}
          format={props.message.format}
          attachments={props.message.attachments}
          terms={props.terms}
        />
      </Show>
      <button
        type="button"
        class="mail-body-forwarded-toggle text-button muted small"
        aria-expanded={isOpen()}
        onClick={() => props.view.setQuoteShown(!isOpen())}
      >
        <ChevronRight />
        Forwarded message
      </button>
      <Show when={isOpen()}>
        <div class="mail-body-forwarded">
          <Show when={props.view.isFormatted()} fallback={<QuotedText {...props} />}>
            <FormattedMail {...props} onQuote={() => {}} />
          </Show>
        </div>
      </Show>
    </div>
  )
}

function FormattedMail(props: MailBodyProps & { onQuote: (isHidden: boolean) => void }) {
  const src = () => {
    const images = props.view.isBlocking() ? 'own' : 'all'
    const quote = props.view.isQuoteShown() ? 'shown' : 'hidden'
    return `${contentPath(props.ticketId, props.message.id)}/frame?images=${images}&quote=${quote}`
  }
  return (
    <>
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
        onQuote={props.onQuote}
        onGiveUp={() => props.view.setFormatted(false)}
      />
    </>
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
  return (
    <>
      <Show when={isEmpty(props.message)}>
        <p class="muted">This email has no text.</p>
      </Show>
      <MessageText text={props.message.text} format={props.message.format} terms={props.terms} isCut />
      <Show when={props.message.hasQuote}>
        <ToggleOf view={props.view} />
        <Show when={props.view.isQuoteShown()}>
          <QuotedText {...props} />
        </Show>
      </Show>
    </>
  )
}

function isEmpty({ text, attachments = [], hasQuote }: MessageEntry): boolean {
  return text.trim() === '' && attachments.length === 0 && !hasQuote
}

/** The text that the message quotes or forwards. */
function QuotedText(props: MailBodyProps) {
  const [quoted, setQuoted] = createSignal<string>()

  onMount(async () => {
    const { id } = props.message
    try {
      const message = api.console.tickets({ id: props.ticketId }).messages({ messageId: id })
      setQuoted((await ask(message.contents.get())).quoted ?? '')
    } catch (error) {
      props.view.setQuoteShown(false)
      toastError(errorMessage(error))
    }
  })

  return (
    <Show when={quoted() !== undefined} fallback={<Skeleton lines={2} label="Loading the quoted text" />}>
      <div class="message-text-quote">
        <MessageText text={quoted() ?? ''} format="plain" isCut />
      </div>
    </Show>
  )
}

function ToggleOf(props: { view: MailView }) {
  const isOpen = () => props.view.isQuoteShown()
  return <QuoteToggle isOpen={isOpen()} onToggle={() => props.view.setQuoteShown(!isOpen())} />
}
