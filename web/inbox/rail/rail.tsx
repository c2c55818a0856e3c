import { useLocation } from '@solidjs/router'
import AlarmClock from 'lucide-solid/icons/alarm-clock'
import Archive from 'lucide-solid/icons/archive'
import AtSign from 'lucide-solid/icons/at-sign'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import CirclePause from 'lucide-solid/icons/circle-pause'
import Clock from 'lucide-solid/icons/clock'
import ContactRound from 'lucide-solid/icons/contact-round'
import Inbox from 'lucide-solid/icons/inbox'
import Layers from 'lucide-solid/icons/layers'
import Lightbulb from 'lucide-solid/icons/lightbulb'
import Send from 'lucide-solid/icons/send'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import UserRound from 'lucide-solid/icons/user-round'
import { type Component, createMemo, For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useCounts, useSavedViews } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import './rail.css'
import { RailFoot } from './rail-foot.tsx'
import { RailLink } from './rail-link.tsx'
import { RailTags } from './rail-tags.tsx'
import { SavedViewLink } from './saved-view-link.tsx'
import { BUILT_IN_VIEWS, type BuiltInView } from './views.ts'

const ICONS: Record<BuiltInView, Component> = {
  mine: UserRound,
  mentions: AtSign,
  unassigned: Inbox,
  open: Layers,
  pending: Clock,
  snoozed: AlarmClock,
  resolved: Archive,
  failed: CircleAlert,
  held: CirclePause,
  scheduled: Send,
  suggested: Lightbulb,
  spam: ShieldAlert,
}

/** Views whose tickets need attention. */
const LOUD: BuiltInView[] = ['mentions', 'failed', 'held']

/** Views that are mostly empty. They are shown only while they have tickets. */
const RARE: BuiltInView[] = ['held', 'scheduled', 'suggested']

interface RailProps {
  location: InboxLocation
  onShowKeys: () => void
  /** A view was renamed or deleted, so the focused element is gone. */
  onDone: () => void
  /** Closes the drawer that contains the rail. */
  onNavigate?: () => void
}

/** The views with their counts, and the agent's account at the bottom. */
export function Rail(props: RailProps) {
  const session = useSession()
  const here = useLocation()
  const counts = useCounts()
  const views = useSavedViews()
  const shownViews = createMemo(() =>
    BUILT_IN_VIEWS.filter(
      ({ id }) => !RARE.includes(id) || counts()?.views[id] || props.location.viewId() === id,
    ),
  )
  return (
    <div class="rail">
      <header class="rail-head">
        <span class="rail-mark" aria-hidden="true">
          {[...session().organization.name].slice(0, 1).join('').toLocaleUpperCase()}
        </span>
        <strong class="rail-name cut" title={session().organization.name}>
          {session().organization.name}
        </strong>
      </header>
      <nav class="rail-views" aria-label="Views">
        <ul>
          <For each={shownViews()}>
            {(view) => (
              <li>
                <RailLink
                  view={view}
                  location={props.location}
                  icon={ICONS[view.id]}
                  count={counts()?.views[view.id]}
                  isLoud={LOUD.includes(view.id)}
                  onNavigate={props.onNavigate}
                />
              </li>
            )}
          </For>
          <li>
            <a
              class="nav-link"
              href="/customers"
              aria-current={here.pathname.startsWith('/customers') ? 'page' : undefined}
              onClick={() => props.onNavigate?.()}
            >
              <ContactRound />
              <span>Customers</span>
            </a>
          </li>
        </ul>
        <Show when={views().length > 0}>
          <h2 class="rail-section muted small">Saved views</h2>
          <ul>
            <For each={views()}>
              {(view) => (
                <SavedViewLink
                  view={view}
                  location={props.location}
                  onDone={props.onDone}
                  onNavigate={props.onNavigate}
                />
              )}
            </For>
          </ul>
        </Show>
        <RailTags location={props.location} onNavigate={props.onNavigate} />
      </nav>
      <RailFoot onShowKeys={props.onShowKeys} />
    </div>
  )
}
