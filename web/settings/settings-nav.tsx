import ArrowLeft from 'lucide-solid/icons/arrow-left'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import { For } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import '../ui/nav-link.css'
import { menuGroups, type SettingsRoute } from './settings-routes.ts'
import './settings-nav.css'

/** The settings menu on the left. Agents see only their own account. */
export function SettingsNav(props: { isAdmin: boolean; isSetUp: boolean; at: string | undefined }) {
  return (
    <nav class="settings-nav" aria-label="Settings">
      <a class="nav-link" href="/inbox">
        <ArrowLeft />
        <span>Inbox</span>
      </a>
      <For each={menuGroups(props.isAdmin, props)}>
        {(group) => (
          <section>
            <h2>{group.title}</h2>
            <ul>
              <For each={group.pages}>
                {(page) => <NavItem page={page} isCurrent={page.path === props.at} />}
              </For>
            </ul>
          </section>
        )}
      </For>
    </nav>
  )
}

function NavItem(props: { page: SettingsRoute; isCurrent: boolean }) {
  return (
    <li>
      <a
        class="nav-link"
        href={`/settings/${props.page.path}`}
        aria-current={props.isCurrent ? 'page' : undefined}
      >
        <Dynamic component={props.page.icon} />
        <span>{props.page.title}</span>
        <ChevronRight class="settings-nav-more" />
      </a>
    </li>
  )
}
