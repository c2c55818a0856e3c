import { Show } from 'solid-js'
import { setTheme, THEME_NAMES, THEMES, theme } from '../../browser/theme.ts'
import { areNotificationsOn, canNotify, switchNotifications } from '../../inbox/notifications.ts'
import { Switch } from '../../ui/checkbox.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Section } from '../page.tsx'

const OPTIONS = THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))

/** What is kept in this browser only. */
export function ThisBrowser() {
  return (
    <Section title="This browser" text="Kept here only; other devices have their own.">
      <div class="entries">
        <div class="entry">
          <p class="entry-words entry-title">Theme</p>
          <SegmentedControl label="Theme" options={OPTIONS} value={theme()} onChange={setTheme} />
        </div>
        <div class="entry">
          <Show
            when={canNotify()}
            fallback={<p class="muted">This browser shows no desktop notifications for this address.</p>}
          >
            <Switch
              label="Notify on the desktop"
              hint="When a customer writes on a ticket of yours, or opens one, while this page is in the background."
              isChecked={areNotificationsOn()}
              onChange={(isOn) => void switchNotifications(isOn)}
            />
          </Show>
        </div>
      </div>
    </Section>
  )
}
