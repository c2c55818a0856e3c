import { queryOptions, useQuery } from '@tanstack/solid-query'
import Bell from 'lucide-solid/icons/bell'
import { api, ask } from '../../api/api.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { setTheme, THEME_NAMES, THEMES, theme } from '../../browser/theme.ts'
import { switchToMarkdown, writesMarkdown } from '../../browser/writing-setting.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { SavedSwitch } from '../../forms/action.tsx'
import { createForm } from '../../forms/create-form.ts'
import { CardForm } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { Switch } from '../../ui/checkbox.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Entry, EntryList } from '../entry.tsx'
import { Page, Section } from '../page.tsx'
import { QueryView } from '../query-view.tsx'
import { Devices } from './devices.tsx'

const THEME_OPTIONS = THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))

const signatureQuery = queryOptions({
  queryKey: queryKeys.ownSignature,
  queryFn: () => ask(api.console.me.signature.get()),
})

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
      <Signature />
      <Notifications />
      <Writing />
      <ThisBrowser />
      <Password />
      <Devices />
    </Page>
  )
}

function OwnName() {
  const session = useSession()
  const form = createForm({
    what: 'your name',
    values: () => ({ name: session().agent.name }),
    save: (values) => ask(api.console.me.patch(values)),
    onSaved: (saved) => {
      showSaved(queryKeys.session, saved)
      void queries.invalidateQueries({ queryKey: queryKeys.agents })
      return 'Name saved.'
    },
  })
  return (
    <Section title="Name">
      <CardForm form={form} action="Save name">
        <TextField
          {...form.text('name')}
          label="Your name"
          hint="Shown to customers on your replies and to your team."
          autocomplete="name"
          required
        />
      </CardForm>
    </Section>
  )
}

/** What the agent's email replies end with. */
function Signature() {
  const query = useQuery(() => signatureQuery)
  return (
    <Section title="Signature">
      <QueryView query={query} what="your signature" rows={1}>
        {(saved) => <SignatureForm signature={saved().signature} />}
      </QueryView>
    </Section>
  )
}

function SignatureForm(props: { signature: string }) {
  const form = createForm({
    what: 'your signature',
    values: () => ({ signature: props.signature }),
    save: (values) => ask(api.console.me.signature.put(values)),
    onSaved: (saved) => {
      showSaved(queryKeys.ownSignature, saved)
      return 'Signature saved.'
    },
  })
  return (
    <CardForm form={form} action="Save signature">
      <MarkdownArea
        {...form.text('signature')}
        label="Your signature"
        hint="Added to your email replies, above the mailbox's signature."
      />
    </CardForm>
  )
}

function Notifications() {
  return (
    <Section
      title="Notifications"
      text="Choose what to be notified of, and how: in your browsers, by email, or by sound."
    >
      <EntryList items={['notifications']}>
        {() => (
          <Entry href="/settings/account/notifications" icon={<Bell class="muted" />} title="Notifications" />
        )}
      </EntryList>
    </Section>
  )
}

function Writing() {
  const session = useSession()
  return (
    <Section title="Writing">
      <div class="entry-list panel">
        <div class="entry">
          <SavedSwitch
            label="Enter sends in chats"
            hint="In the website chat and in Telegram. Shift+Enter begins a line. On a phone, Enter begins a line."
            isChecked={session().agent.sendsByEnter}
            save={async (sendsByEnter) =>
              showSaved(queryKeys.session, await ask(api.console.me.patch({ sendsByEnter })))
            }
          />
        </div>
      </div>
    </Section>
  )
}

/** Settings that are stored in this browser only. */
function ThisBrowser() {
  return (
    <Section title="This browser" text="Applies to this browser only.">
      <div class="entry-list panel">
        <div class="entry">
          <p class="entry-words entry-title">Theme</p>
          <SegmentedControl label="Theme" options={THEME_OPTIONS} value={theme()} onChange={setTheme} />
        </div>
        <div class="entry">
          <Switch
            label="Write Markdown"
            hint="Shows the marks, such as **bold**, instead of the text as it will look."
            isChecked={writesMarkdown()}
            onChange={switchToMarkdown}
          />
        </div>
      </div>
    </Section>
  )
}

/** Changes the password. Asks for the current one. */
function Password() {
  const session = useSession()
  const form = createForm({
    values: () => ({ current: '', password: '' }),
    save: (values) => ask(api.console.password.post(values)),
    onSaved: () => {
      form.reset()
      void queries.invalidateQueries({ queryKey: queryKeys.sessions })
      return 'Password changed. Other devices were signed out.'
    },
    // Only the new one counts: the browser may have filled in the current one.
    isUnsaved: ({ password }) => password !== '',
  })
  return (
    <Section title="Password" text="Changing it signs you out everywhere else.">
      <CardForm
        form={form}
        action="Change password"
        isUnchanged={!form.values.current || !form.values.password}
      >
        {/* Tells password managers whose password it is. */}
        <input
          hidden
          type="text"
          name="email"
          autocomplete="username"
          value={session().agent.email}
          readonly
        />
        <div class="form-columns">
          <PasswordField
            {...form.text('current')}
            label="Current password"
            autocomplete="current-password"
            name="current"
          />
          <PasswordField
            {...form.text('password')}
            label="New password"
            autocomplete="new-password"
            name="password"
          />
        </div>
      </CardForm>
    </Section>
  )
}
