import { Show } from 'solid-js'
import { setTheme, THEME_NAMES, THEMES, theme } from '../../browser/theme.ts'
import { areNotificationsOn, canNotify, switchNotifications } from '../../inbox/notifications.ts'
import { Switch } from '../../ui/checkbox.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Section } from '../page.tsx'

const OPTIONS = THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))

/** Settings that are stored in this browser only. */
export function ThisBrowser() {
  return (
    <Section title="This browser" text="Applies to this browser only.">
      <div class="entries">
        <div class="entry">
          <p class="entry-words entry-title">Theme</p>
          <SegmentedControl label="Theme" options={OPTIONS} value={theme()} onChange={setTheme} />
        </div>
        <div class="entry">
          <Show
            when={canNotify()}
            fallback={<p class="muted">Desktop notifications aren't available in this browser.</p>}
          >
            <Switch
              label="Desktop notifications"
              hint="When a customer replies to your ticket or opens a new one while Bellhop is in the background."
              isChecked={areNotificationsOn()}
              onChange={(isOn) => void switchNotifications(isOn)}
            />
          </Show>
        </div>
      </div>
    </Section>
  )
}
