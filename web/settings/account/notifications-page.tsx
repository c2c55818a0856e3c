import { useLocation, useNavigate } from '@solidjs/router'
import { useQuery } from '@tanstack/solid-query'
import { createResource, onMount, Show } from 'solid-js'
import {
  changeOwnNotifications,
  type OwnNotifications,
  ownNotificationsQuery,
} from '../../api/own-notifications.ts'
import { toServerTime } from '../../api/server-clock.ts'
import { ActionButton, SavedSwitch } from '../../forms/action.tsx'
import { currentSubscription } from '../../live/push-subscription.ts'
import { DocsLink } from '../../ui/docs-link.tsx'
import { NotFound, Page, Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import { OtherBrowsers, ThisBrowser } from './notification-browsers.tsx'
import { endEmails, NotificationReasons } from './notification-reasons.tsx'
import './notifications-page.css'

const HOUR_MS = 3_600_000

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
  const [subscription, { refetch }] = createResource(currentSubscription)
  const query = useQuery(() => ({ ...ownNotificationsQuery, staleTime: 0, reconcile: 'id' }))
  return (
    <Page
      title="Notifications"
      lead="Choose what to be notified of, and how. Nothing is sent for what you open or answer first."
      actions={<DocsLink to="/docs/notifications">Guide</DocsLink>}
      back={{ href: '/settings/account', name: 'Your account' }}
    >
      <QueryView query={query} what="your notifications" rows={8}>
        {(own) => (
          <>
            <ThisBrowser own={own()} endpoint={subscription()?.endpoint} readEndpoint={refetch} />
            <NotificationReasons own={own()} />
            <Pause until={own().pausedUntil} />
            <Email own={own()} />
            <OtherBrowsers own={own()} endpoint={subscription()?.endpoint} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Pause(props: { until: string | null }) {
  const until = () => Date.parse(props.until ?? '')
  const isPaused = () => until() > toServerTime(Date.now())
  const pause = (time: number | null) =>
    changeOwnNotifications({ pausedUntil: time === null ? null : new Date(time).toISOString() })
  const tomorrow = () => new Date().setHours(24 + 8, 0, 0, 0)
  return (
    <Section title="Pause" text="No pushes, emails or sounds. Everything is in Bellhop afterwards.">
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

function Email(props: { own: OwnNotifications }) {
  return (
    <Section
      title="Email"
      text={
        props.own.mailbox === null
          ? 'No mailbox is connected, so Bellhop can’t send you emails.'
          : `Sent to ${props.own.email} from ${props.own.mailbox} after 5 minutes without you seeing it, at most every 15 minutes. Your answer to one becomes an internal note.`
      }
    >
      <Show when={props.own.mailbox !== null}>
        <SavedSwitch
          label="Summary at 8:00"
          hint="Your tickets that wait for an answer, and mentions you haven't seen."
          isChecked={props.own.hasSummary}
          save={(hasSummary) =>
            changeOwnNotifications({ hasSummary, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
          }
        />
      </Show>
    </Section>
  )
}
