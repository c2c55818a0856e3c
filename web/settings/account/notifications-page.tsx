import { useLocation, useNavigate } from '@solidjs/router'
import { queryOptions, useQuery } from '@tanstack/solid-query'
import Laptop from 'lucide-solid/icons/laptop'
import Smartphone from 'lucide-solid/icons/smartphone'
import { createResource, createSignal, For, type JSX, Match, onMount, Show, Switch } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toServerTime } from '../../api/server-clock.ts'
import { useSession } from '../../api/session.ts'
import { ActionButton, SavedSwitch, useAction } from '../../forms/action.tsx'
import {
  currentSubscription,
  type PushRefusal,
  pushSupport,
  switchPushOff,
  switchPushOn,
} from '../../live/push-subscription.ts'
import { Badge } from '../../ui/badge.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Ago, Entry, EntryList } from '../entry.tsx'
import { NotFound, Page, Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import './notifications-page.css'

type Own = Answer<typeof api.console.me.notifications.get>
type Browser = Own['browsers'][number]
type Reason = keyof Own['ways']
type Change = Parameters<typeof api.console.me.notifications.patch>[0]

const HOUR_MS = 3_600_000

const ownQuery = queryOptions({
  queryKey: queryKeys.ownNotifications,
  queryFn: () => ask(api.console.me.notifications.get()),
  staleTime: 0,
})

const REASONS: Record<Reason, string> = {
  mentioned: 'I’m mentioned',
  assigned: 'A ticket is assigned to me',
  customer_wrote: 'A customer writes on a ticket of mine',
  followed: 'A customer writes, or a colleague adds a note, on a ticket I follow',
  unassigned: 'A new ticket that no one has',
  snooze_ended: 'A snooze of mine ended',
  failed: 'A reply of mine failed, bounced or is held',
}
const ORDER: readonly Reason[] = [
  'mentioned',
  'assigned',
  'customer_wrote',
  'followed',
  'unassigned',
  'snooze_ended',
  'failed',
]

/** Pages of the agent's own settings below `/settings/account`. */
export function OwnPage(props: { id: string }) {
  return (
    <Show when={props.id === 'notifications'} fallback={<NotFound text="Check the URL." />}>
      <NotificationsPage />
    </Show>
  )
}

function NotificationsPage() {
  const location = useLocation()
  const navigate = useNavigate()
  onMount(() => {
    const { off } = location.query
    if (typeof off !== 'string') return
    navigate(location.pathname, { replace: true })
    void endEmails(off)
  })
  const query = useQuery(() => ({ ...ownQuery, reconcile: 'id' }))
  return (
    <Page
      title="Notifications"
      lead="What you're told, and how. What you open or answer first is not sent."
      actions={<DocsLink to="/docs/notifications">Guide</DocsLink>}
      back={{ href: '/settings/account', name: 'Your account' }}
    >
      <QueryView query={query} what="your notifications" rows={8}>
        {(own) => (
          <>
            <ThisBrowser own={own()} />
            <Choices own={own()} />
            <Pause until={own().pausedUntil} />
            <Email own={own()} />
            <Bells own={own()} />
            <Browsers own={own()} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

/** Follows the link of an email that ends emails for its reason. */
async function endEmails(name: string): Promise<void> {
  const reason = ORDER.find((one) => one === name)
  if (!reason && name !== 'summary') return
  try {
    await change(reason ? { ways: { [reason]: { email: false } } } : { hasSummary: false })
    toast(reason ? `No more emails: ${REASONS[reason]}.` : 'No more summaries.')
  } catch {
    toastError("Couldn't end these emails. Uncheck them below.")
  }
}

function reload(): Promise<void> {
  return queries.invalidateQueries({ queryKey: queryKeys.ownNotifications })
}

/** Shows the change at once, and what is stored afterwards. */
async function change(body: Change): Promise<void> {
  await ask(api.console.me.notifications.patch(body)).finally(reload)
}

function ThisBrowser(props: { own: Own }) {
  const session = useSession()
  const [refusal, setRefusal] = createSignal<PushRefusal>()
  const [subscription, { refetch }] = createResource(currentSubscription)
  const isBlocked = () => pushSupport() === 'supported' && Notification.permission === 'denied'
  const known = () => props.own.browsers.find(({ endpoint }) => endpoint === subscription()?.endpoint)
  const broken = () => (known()?.error ? known() : undefined)
  const owner = () => `${session().agent.id} ${session().session.id}`

  async function turnOn(): Promise<boolean> {
    const refused = await switchPushOn(props.own.publicKey, owner())
    setRefusal(refused)
    await Promise.all([refetch(), reload()])
    return refused === undefined
  }

  async function turnOff(): Promise<void> {
    const { id } = known() ?? {}
    await switchPushOff()
    if (id !== undefined) await ask(api.console.me.browsers({ id }).delete())
    await Promise.all([refetch(), reload()])
  }

  return (
    <Section title="This browser" text="Shown by your system, also while no tab of Bellhop is open.">
      <Switch
        fallback={
          <State
            title="Off"
            text={
              subscription()
                ? 'The push service ended the earlier subscription of this browser. Turn them on again.'
                : 'This browser shows no notifications.'
            }
            error={
              refusal() === 'dismissed'
                ? 'You closed the question of the browser without an answer.'
                : undefined
            }
          >
            <ActionButton look="primary" run={turnOn} onDone={(isOn) => isOn && 'Notifications are on.'}>
              Turn on
            </ActionButton>
          </State>
        }
      >
        <Match when={pushSupport() === 'home screen'}>
          <State
            title="Add Bellhop to your Home Screen first"
            text="Tap Share, then Add to Home Screen. Open Bellhop from there and come back to this page."
          />
        </Match>
        <Match when={pushSupport() === 'insecure'}>
          <State title="Off" text="Browsers show notifications of https addresses only." />
        </Match>
        <Match when={pushSupport() === 'unsupported'}>
          <State title="Off" text="This browser can't show notifications of web pages." />
        </Match>
        <Match when={isBlocked() || refusal() === 'blocked'}>
          <State
            title="Blocked"
            tone="amber"
            text="This browser blocks notifications of Bellhop. Click the icon before the address, allow notifications, and reload this page."
          />
        </Match>
        <Match when={refusal() === 'service'}>
          <State
            title="Off"
            text="This browser can't reach its push service. Check its connection, or a setting such as “Use Google services for push messaging”."
          >
            <ActionButton run={turnOn} onDone={(isOn) => isOn && 'Notifications are on.'}>
              Try again
            </ActionButton>
          </State>
        </Match>
        <Match when={broken()}>
          {(browser) => (
            <State
              title="On"
              tone="amber"
              text="The server can't reach the push service."
              error={browser().error}
            >
              <TestButton browser={browser()} />
              <ActionButton run={turnOff} onDone={() => 'Notifications are off in this browser.'}>
                Turn off
              </ActionButton>
            </State>
          )}
        </Match>
        <Match when={known()}>
          {(browser) => (
            <State title="On" tone="green" text="This browser shows your notifications.">
              <TestButton browser={browser()} />
              <ActionButton run={turnOff} onDone={() => 'Notifications are off in this browser.'}>
                Turn off
              </ActionButton>
            </State>
          )}
        </Match>
      </Switch>
    </Section>
  )
}

function TestButton(props: { browser: Browser }) {
  return (
    <ActionButton
      run={() => ask(api.console.me.browsers({ id: props.browser.id }).test.post())}
      onDone={() => 'A test is on its way.'}
    >
      Send a test
    </ActionButton>
  )
}

interface StateProps {
  title: string
  text: string
  tone?: 'green' | 'amber'
  error?: string | undefined
  children?: JSX.Element
}

function State(props: StateProps) {
  return (
    <div class="notifications-page-state panel">
      <div>
        <p class="entry-title">
          <Badge tone={props.tone ?? 'grey'}>{props.title}</Badge>
        </p>
        <p class="muted">{props.text}</p>
        <Show when={props.error}>
          <p class="entry-error">{props.error}</p>
        </Show>
      </div>
      <Show when={props.children}>
        <div class="notifications-page-actions">{props.children}</div>
      </Show>
    </div>
  )
}

/** Reasons and ways as a table of checkboxes. */
function Choices(props: { own: Own }) {
  const hasNoMail = () => props.own.mailbox === null
  return (
    <Section title="What and how">
      <div class="panel notifications-page-table">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Reason</span>
              </th>
              <th scope="col">Push</th>
              <th scope="col" class={hasNoMail() ? 'muted' : ''}>
                Email
              </th>
              <th scope="col">Sound</th>
            </tr>
          </thead>
          <tbody>
            <For each={ORDER}>
              {(reason) => {
                const ways = () => props.own.ways[reason]
                const set = (way: object) => change({ ways: { [reason]: way } })
                return (
                  <tr>
                    <th scope="row">{REASONS[reason]}</th>
                    <td>
                      <Box
                        label={`Push: ${REASONS[reason]}`}
                        isChecked={ways().push}
                        save={(push) => set({ push })}
                      />
                    </td>
                    <td>
                      <Box
                        label={`Email: ${REASONS[reason]}`}
                        isChecked={ways().email}
                        isDisabled={hasNoMail()}
                        save={(email) => set({ email })}
                      />
                    </td>
                    <td>
                      <Box
                        label={`Sound: ${REASONS[reason]}${reason === 'unassigned' ? ' (chats)' : ''}`}
                        isChecked={ways().sound !== false}
                        save={(isOn) => set({ sound: isOn && reason === 'unassigned' ? 'chats' : isOn })}
                      />
                      <Show when={reason === 'unassigned'}>
                        <span class="notifications-page-chats muted">chats</span>
                      </Show>
                    </td>
                  </tr>
                )
              }}
            </For>
          </tbody>
        </table>
      </div>
      <Show when={hasNoMail()}>
        <p class="muted">
          Emails need a mailbox: none is connected. An administrator connects one under Settings → Mailboxes.
        </p>
      </Show>
      <SavedSwitch
        label="Show message text"
        hint="Otherwise, pushes show only who wrote and what happened."
        isChecked={props.own.showsText}
        save={(showsText) => change({ showsText })}
      />
    </Section>
  )
}

interface BoxProps {
  label: string
  isChecked: boolean
  isDisabled?: boolean
  save: (isChecked: boolean) => Promise<unknown>
}

/** A checkbox that is saved at once. If that fails, it goes back. */
function Box(props: BoxProps) {
  const [chosen, setChosen] = createSignal<boolean>()
  const save = useAction(
    (isOn: boolean) => props.save(isOn).finally(() => setChosen(undefined)),
    () => undefined,
  )
  return (
    <input
      type="checkbox"
      class="checkbox-box"
      aria-label={props.label}
      checked={chosen() ?? props.isChecked}
      disabled={props.isDisabled}
      onChange={(event) => {
        setChosen(event.currentTarget.checked)
        save.mutate(event.currentTarget.checked)
      }}
    />
  )
}

function Pause(props: { until: string | null }) {
  const until = () => Date.parse(props.until ?? '')
  const isPaused = () => until() > toServerTime(Date.now())
  const pause = (time: number | null) =>
    change({ pausedUntil: time === null ? null : new Date(time).toISOString() })
  const tomorrow = () => new Date().setHours(24 + 8, 0, 0, 0)
  return (
    <Section title="Pause" text="Nothing is pushed, emailed or heard. You find it in Bellhop afterwards.">
      <div class="notifications-page-actions">
        <Show
          when={isPaused()}
          fallback={
            <>
              <ActionButton
                run={() => pause(toServerTime(Date.now()) + HOUR_MS)}
                onDone={() => 'Notifications are paused for an hour.'}
              >
                For 1 hour
              </ActionButton>
              <ActionButton
                run={() => pause(tomorrow())}
                onDone={() => 'Notifications are paused until tomorrow.'}
              >
                Until tomorrow
              </ActionButton>
            </>
          }
        >
          <p>
            Paused until{' '}
            {new Intl.DateTimeFormat(undefined, {
              weekday: 'short',
              hour: 'numeric',
              minute: '2-digit',
            }).format(until())}
            .
          </p>
          <ActionButton run={() => pause(null)} onDone={() => 'Notifications are on again.'}>
            End pause
          </ActionButton>
        </Show>
      </div>
    </Section>
  )
}

function Email(props: { own: Own }) {
  return (
    <Section
      title="Email"
      text={
        props.own.mailbox === null
          ? 'No mailbox is connected, so Bellhop can’t send you emails.'
          : `Sent to ${props.own.email} from ${props.own.mailbox} when you haven't seen it for 5 minutes, every 15 minutes at most. Answering one adds an internal note.`
      }
    >
      <Show when={props.own.mailbox !== null}>
        <SavedSwitch
          label="Summary at 8:00"
          hint="Your tickets whose customers wait, and mentions you haven't seen."
          isChecked={props.own.hasSummary}
          save={(hasSummary) =>
            change({ hasSummary, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
          }
        />
      </Show>
    </Section>
  )
}

/** Saved views whose new tickets the agent is told of. */
function Bells(props: { own: Own }) {
  return (
    <Show when={props.own.bells.length > 0}>
      <Section
        title="Saved views"
        text="You're told of tickets that are new in these. Their bell is in the menu of the view."
      >
        <EntryList label="Saved views" items={props.own.bells}>
          {(bell) => (
            <Entry
              title={bell.name}
              facts={[bell.push && 'Push', bell.email && 'Email']}
              actions={
                <ActionButton
                  size="small"
                  look="quiet"
                  run={() =>
                    ask(
                      api.console.views({ id: bell.viewId }).bell.put({ push: false, email: false }),
                    ).finally(reload)
                  }
                  onDone={() => `You aren't told of “${bell.name}” anymore.`}
                >
                  Turn off
                </ActionButton>
              }
            />
          )}
        </EntryList>
      </Section>
    </Show>
  )
}

/** The agent's other browsers. */
function Browsers(props: { own: Own }) {
  const [subscription] = createResource(currentSubscription)
  const others = () => props.own.browsers.filter(({ endpoint }) => endpoint !== subscription()?.endpoint)
  return (
    <Show when={others().length > 0}>
      <Section
        title="Other browsers"
        text="They show your notifications too. One that you sign out of stops."
      >
        <EntryList label="Other browsers" items={others()}>
          {(browser) => (
            <Entry
              icon={
                /Android|iPhone|iPad/.test(browser.device) ? (
                  <Smartphone class="muted" />
                ) : (
                  <Laptop class="muted" />
                )
              }
              title={browser.device}
              facts={[
                <Ago words="Added" at={browser.createdAt} />,
                browser.lastSentAt && <Ago words="Last push" at={browser.lastSentAt} />,
              ]}
              error={browser.error || undefined}
              actions={
                <ActionButton
                  size="small"
                  look="quiet"
                  run={() => ask(api.console.me.browsers({ id: browser.id }).delete()).finally(reload)}
                  onDone={() => `${browser.device} gets no notifications anymore.`}
                  aria-label={`Remove ${browser.device}`}
                >
                  Remove
                </ActionButton>
              }
            />
          )}
        </EntryList>
      </Section>
    </Show>
  )
}
