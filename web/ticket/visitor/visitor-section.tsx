import { queryOptions } from '@tanstack/solid-query'
import { createMemo, type JSX, Match, Show, Switch } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { isVisitorTyping } from '../../live/live.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { UnverifiedMark } from '../customer/unverified-mark.tsx'
import type { ReplyDestination, Ticket } from '../ticket-query.ts'
import './visitor-section.css'

/** The visitor of the widget who wrote the ticket: who they say they are, and where they are on the website. */
export function VisitorSection(props: { ticketId: string }) {
  const visitor = observe(() => visitorQuery(props.ticketId))
  return (
    <section class="customer-panel-section visitor-section">
      <Switch fallback={<Skeleton lines={4} label="Loading the visitor" />}>
        <Match when={visitor().data}>{(known) => <VisitorFacts visitor={known()} />}</Match>
        <Match when={visitor().error}>
          <FailedQuery title="Couldn't load the visitor" query={visitor()} />
        </Match>
      </Switch>
    </section>
  )
}

function VisitorFacts(props: { visitor: Visitor }) {
  const isBlocked = () => props.visitor.isBlocked || props.visitor.isAddressBlocked
  return (
    <>
      <h3 class="visitor-section-head">
        Website visitor
        <Show when={props.visitor.isVerified} fallback={<Badge tone="amber">Not verified</Badge>}>
          <Badge tone="green">Verified</Badge>
        </Show>
        <Show when={isBlocked()}>
          <Badge tone="red">{props.visitor.isBlocked ? 'Blocked' : 'IP address blocked'}</Badge>
        </Show>
      </h3>
      <dl class="customer-panel-facts visitor-section-facts">
        <Fact name="Name" text={props.visitor.typedName}>
          {props.visitor.typedName} <UnverifiedMark />
        </Fact>
        <Fact name="Email" text={props.visitor.typedEmail}>
          {props.visitor.typedEmail} <UnverifiedMark />
        </Fact>
        <Fact name="User ID" text={props.visitor.userId} />
        <PageFact page={props.visitor.page} />
        <Fact name="Last seen" text="known">
          <Show
            when={props.visitor.isOnline}
            fallback={<RelativeTime at={props.visitor.lastSeenAt} isLong />}
          >
            <span class="visitor-section-online">Online now</span>
          </Show>
        </Fact>
        <Fact name="City" text={cityOf(props.visitor.timeZone)} />
        <Fact name="Browser" text={props.visitor.browser} />
        <Fact name="Language" text={languageName(props.visitor.language)} />
        <Fact name="Time zone" text={props.visitor.timeZone} />
        <Fact name="IP address" text={props.visitor.address}>
          {props.visitor.address}
          <CopyButton text={props.visitor.address} name="Copy IP address" />
        </Fact>
        {props.visitor.answers.map(({ label, text }) => (
          <Fact name={label} text={text} />
        ))}
        <Fact name="Widget" text={props.visitor.widget.name} />
      </dl>
    </>
  )
}

/** Nothing without a text. */
function Fact(props: { name: string; text: string | null; children?: JSX.Element }) {
  return (
    <Show when={props.text}>
      <dt>{props.name}</dt>
      <dd>{props.children ?? props.text}</dd>
    </Show>
  )
}

function PageFact(props: { page: Visitor['page'] }) {
  return (
    <Show when={props.page}>
      {(page) => (
        <>
          <dt>Page</dt>
          <dd>
            <Show when={/^https?:\/\//i.test(page().url)} fallback={page().url}>
              <a
                class="visitor-section-page"
                href={page().url}
                target="_blank"
                rel="noopener noreferrer"
                title={page().url}
              >
                {page().title || page().url.replace(/^https?:\/\//i, '')}
              </a>
            </Show>
          </dd>
        </>
      )}
    </Show>
  )
}

/** "New York" for `America/New_York`: where the clock of their browser is set to. None for zones without a city. */
function cityOf(timeZone: string | null): string {
  const [area = '', ...places] = (timeZone ?? '').split('/')
  return area === 'Etc' ? '' : (places.at(-1) ?? '').replaceAll('_', ' ')
}

/** "German (Germany)" for `de-DE`. */
function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language' }).of(code) ?? code
  } catch {
    return code
  }
}

/** Pages that visitors open cause no event. */
const READ_EVERY_MS = 30_000

export type Visitor = Answer<ReturnType<typeof api.console.tickets>['visitor']['get']>

/** Who wrote a ticket in the widget. */
export function visitorQuery(ticketId: string) {
  return queryOptions({
    queryKey: queryKeys.visitor(ticketId),
    queryFn: () => ask(api.console.tickets({ id: ticketId }).visitor.get()),
    refetchInterval: READ_EVERY_MS,
  })
}

/** "Ana is typing…", at the end of a conversation in the widget. */
export function VisitorTyping(props: { ticket: Ticket }) {
  // A memo, because updates arrive for all tickets: without a change on this one, screen readers stay silent.
  const isTyping = createMemo(() => isVisitorTyping(props.ticket.id))
  return (
    <div role="status" class="visitor-typing">
      <Show when={isTyping()}>
        <p>{props.ticket.customer.name} is typing…</p>
      </Show>
    </div>
  )
}

const NO_EMAIL = {
  address: 'The visitor left no email address.',
  mailbox: 'Not emailed, because no mailbox is connected.',
  answer: "Not emailed, because the visitor didn't answer the last emails.",
}

/** Where a reply in the chat goes, and what happens to it when the visitor doesn't read it there. */
export function VisitorDestination(props: { reply: ReplyDestination }) {
  return <p>Goes to the website chat. {unreadText(props.reply.ifUnread)}</p>
}

function unreadText(ifUnread: ReplyDestination['ifUnread']): string {
  if (!ifUnread) return ''
  if ('without' in ifUnread) return NO_EMAIL[ifUnread.without]
  const address = ifUnread.isVerified ? ifUnread.address : `${ifUnread.address} (not verified)`
  return `Emailed to ${address} if it isn't read within 10 minutes.`
}
