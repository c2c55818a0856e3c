import Laptop from 'lucide-solid/icons/laptop'
import Smartphone from 'lucide-solid/icons/smartphone'
import { createSignal, type JSX, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { type OwnNotifications, readOwnNotificationsAgain } from '../../api/own-notifications.ts'
import { useSession } from '../../api/session.ts'
import { ActionButton } from '../../forms/action.tsx'
import { type PushRefusal, pushSupport, switchPushOff, switchPushOn } from '../../live/push-subscription.ts'
import { Badge } from '../../ui/badge.tsx'
import { Ago, Entry, EntryList } from '../entry.tsx'
import { Section } from '../page.tsx'
import './notifications-page.css'

type Browser = OwnNotifications['browsers'][number]

interface BrowsersProps {
  own: OwnNotifications
  /** Of this browser's subscription; undefined without one. */
  endpoint: string | undefined
}

/** Whether this browser shows notifications, and what to do if it doesn't. */
export function ThisBrowser(props: BrowsersProps & { readEndpoint: () => unknown }) {
  const session = useSession()
  const [refusal, setRefusal] = createSignal<PushRefusal>()
  const isBlocked = () => pushSupport() === 'supported' && Notification.permission === 'denied'
  const known = () => props.own.browsers.find(({ endpoint }) => endpoint === props.endpoint)
  const broken = () => (known()?.error ? known() : undefined)
  const owner = () => `${session().agent.id} ${session().session.id}`

  async function turnOn(): Promise<boolean> {
    const refused = await switchPushOn(props.own.publicKey, owner())
    setRefusal(refused)
    await Promise.all([props.readEndpoint(), readOwnNotificationsAgain()])
    return refused === undefined
  }

  async function turnOff(): Promise<void> {
    const { id } = known() ?? {}
    await switchPushOff()
    if (id !== undefined) await ask(api.console.me.browsers({ id }).delete())
    await Promise.all([props.readEndpoint(), readOwnNotificationsAgain()])
  }

  const buttonsOf = (browser: Browser) => (
    <>
      <TestButton browser={browser} />
      <ActionButton run={turnOff} onDone={() => 'Notifications are off in this browser.'}>
        Turn off
      </ActionButton>
    </>
  )

  return (
    <Section title="This browser" text="Your system shows notifications even when no Bellhop tab is open.">
      <Switch
        fallback={
          <State
            title="Off"
            text={
              props.endpoint !== undefined
                ? 'The push service ended the subscription of this browser. Turn notifications on again.'
                : 'This browser shows no notifications.'
            }
            error={
              refusal() === 'dismissed' ? 'You closed the browser’s question without an answer.' : undefined
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
          <State title="Off" text="Browsers show notifications only for https addresses." />
        </Match>
        <Match when={pushSupport() === 'unsupported'}>
          <State title="Off" text="This browser can't show notifications from web pages." />
        </Match>
        <Match when={isBlocked() || refusal() === 'blocked'}>
          <State
            title="Blocked"
            tone="amber"
            text="This browser blocks notifications from Bellhop. Click the icon before the address, allow notifications, and reload this page."
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
              {buttonsOf(browser())}
            </State>
          )}
        </Match>
        <Match when={known()}>
          {(browser) => (
            <State title="On" tone="green" text="This browser shows your notifications.">
              {buttonsOf(browser())}
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

/** The agent's other browsers. */
export function OtherBrowsers(props: BrowsersProps) {
  const others = () => props.own.browsers.filter(({ endpoint }) => endpoint !== props.endpoint)
  return (
    <Show when={others().length > 0}>
      <Section title="Other browsers" text="These show your notifications too, until you sign out there.">
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
                  run={() =>
                    ask(api.console.me.browsers({ id: browser.id }).delete()).finally(
                      readOwnNotificationsAgain,
                    )
                  }
                  onDone={() => `${browser.device} no longer gets notifications.`}
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
