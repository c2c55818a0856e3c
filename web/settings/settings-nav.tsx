import ArrowLeft from 'lucide-solid/icons/arrow-left'
import ChevronRight from 'lucide-solid/icons/chevron-right'
import { For } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import '../ui/nav-link.css'
import { groupsFor, type SettingsPlace } from './pages.ts'
import './settings-nav.css'

/** The pages of the settings, on the left; agents who are no administrators see only their own. */
export function SettingsNav(props: { isAdmin: boolean; at: string | undefined }) {
  return (
    <nav class="settings-nav" aria-label="Settings">
      <a class="nav-link" href="/inbox">
        <ArrowLeft />
        <span>Inbox</span>
      </a>
      <For each={groupsFor(props.isAdmin)}>
        {(group) => (
          <section>
            <h2>{group.title}</h2>
            <ul>
              <For each={group.pages}>
                {(page) => <NavItem page={page} isHere={page.path === props.at} />}
              </For>
            </ul>
          </section>
        )}
      </For>
    </nav>
  )
}

function NavItem(props: { page: SettingsPlace; isHere: boolean }) {
  return (
    <li>
      <a
        class="nav-link"
        href={`/settings/${props.page.path}`}
        aria-current={props.isHere ? 'page' : undefined}
      >
        <Dynamic component={props.page.icon} />
        <span>{props.page.title}</span>
        <ChevronRight class="settings-nav-more" />
      </a>
    </li>
  )
}
