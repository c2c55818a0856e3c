import { useMutation } from '@tanstack/solid-query'
import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { areNotificationsOn, canNotify, switchNotifications } from '../../browser/notification-setting.ts'
import { setTheme, THEME_NAMES, THEMES, theme } from '../../browser/theme.ts'
import { CardForm } from '../../forms/form.tsx'
import { Switch } from '../../ui/checkbox.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Page, Section } from '../page-layout.tsx'
import { Devices } from './devices.tsx'
import { PasswordSection } from './password-section.tsx'
import { SignatureSection } from './signature-section.tsx'

/** The settings of the signed-in agent. */
export function AccountPage() {
  const session = useSession()
  const role = () => (session().agent.role === 'admin' ? 'an administrator' : 'an agent')
  return (
    <Page
      title="Your account"
      lead={`You are ${role()} of ${session().organization.name}, signed in as ${session().agent.email}.`}
    >
      <OwnName />
      <SignatureSection />
      <ThisBrowser />
      <PasswordSection />
      <Devices />
    </Page>
  )
}

function OwnName() {
  const session = useSession()
  const form = createFormState('your name', () => ({
    name: session().agent.name,
  }))
  const save = useMutation(() => ({
    mutationFn: () => form.save((sent) => ask(api.console.me.patch(sent))),
    onSuccess: (saved) => {
      showSaved(['session'], saved)
      void queries.invalidateQueries({ queryKey: queryKeys.agents })
      toast('Name saved.')
    },
  }))
  return (
    <Section title="Name">
      <CardForm save={save} fields={['name']} action="Save name" isUnchanged={!form.isChanged()}>
        <TextField
          label="Your name"
          hint="Shown to customers on your replies and to your team."
          value={form.values.name}
          onInput={(name) => form.setValues({ name })}
          error={fieldError(save.error, 'name')}
          autocomplete="name"
          required
        />
      </CardForm>
    </Section>
  )
}

const OPTIONS = THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))

/** Settings that are stored in this browser only. */
function ThisBrowser() {
  return (
    <Section title="This browser" text="Applies to this browser only.">
      <div class="entry-list">
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
