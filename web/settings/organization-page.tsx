import { queryOptions, useQuery } from '@tanstack/solid-query'
import { For } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { queries, showSaved } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { MarkdownArea } from '../formatting/markdown-area.tsx'
import { SavedSwitch } from '../forms/action.tsx'
import { createForm } from '../forms/create-form.ts'
import { CardForm } from '../forms/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Page, Section } from './page.tsx'
import { QueryView } from './query-view.tsx'

type Organization = Answer<typeof api.console.organization.get>
type UndoField = 'undoEmailSeconds' | 'undoWidgetSeconds' | 'undoTelegramSeconds' | 'undoApiSeconds'
type OrganizationChange = Partial<
  Pick<
    Organization,
    | 'name'
    | 'reopens'
    | 'assignOnReply'
    | 'publicName'
    | 'website'
    | 'emailsApiTickets'
    | 'signature'
    | 'shownMetadata'
    | UndoField
  >
>

const organizationQuery = queryOptions({
  queryKey: queryKeys.organization,
  queryFn: () => ask(api.console.organization.get()),
})

/** Name and business identity of the organization, and when tickets reopen. */
export function OrganizationPage() {
  const query = useQuery(() => organizationQuery)
  return (
    <Page title="Organization" lead="Your team's name, and how customers see you.">
      <QueryView query={query} what="the organization">
        {(organization) => (
          <>
            <Name organization={organization()} />
            <TicketRules organization={organization()} />
            <ShownMetadata organization={organization()} />
            <UndoTimes organization={organization()} />
            <Identity organization={organization()} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Name(props: { organization: Organization }) {
  const form = createForm({
    what: 'the organization name',
    values: () => ({ name: props.organization.name }),
    save: saveOrganization,
    onSaved: () => 'Name saved.',
  })
  return (
    <Section title="Name">
      <CardForm form={form} action="Save name">
        <TextField
          {...form.text('name')}
          label="Organization name"
          hint="Shown to your team. Server commands use it too."
          required
        />
      </CardForm>
    </Section>
  )
}

function TicketRules(props: { organization: Organization }) {
  return (
    <Section title="Tickets">
      <div class="card">
        <SavedSwitch
          label="Reopen tickets when the customer replies"
          hint="Otherwise the status doesn't change."
          isChecked={props.organization.reopens}
          save={(reopens) => saveOrganization({ reopens })}
        />
        <SavedSwitch
          label="Assign tickets to the agent who replies"
          hint="Applies to unassigned tickets."
          isChecked={props.organization.assignOnReply}
          save={(assignOnReply) => saveOrganization({ assignOnReply })}
        />
        <SavedSwitch
          label="Also send replies to API tickets by email"
          hint="Your integration still gets each reply by webhook. Needs a connected mailbox."
          isChecked={props.organization.emailsApiTickets}
          save={(emailsApiTickets) => saveOrganization({ emailsApiTickets })}
        />
      </div>
    </Section>
  )
}

function ShownMetadata(props: { organization: Organization }) {
  const form = createForm({
    what: 'the metadata keys',
    values: () => ({ shownMetadata: props.organization.shownMetadata.join(', ') }),
    save: ({ shownMetadata }) =>
      saveOrganization({
        shownMetadata: shownMetadata
          .split(',')
          .map((key) => key.trim())
          .filter(Boolean),
      }),
    onSaved: () => 'Metadata keys saved.',
  })
  return (
    <Section title="Metadata" text="What your integrations keep with tickets and customers.">
      <CardForm form={form} action="Save keys">
        <TextField
          {...form.text('shownMetadata')}
          label="Keys to show"
          aside="optional"
          hint="Separated by commas, at most 20. Agents see their values beside the conversation."
          placeholder="plan, region"
        />
      </CardForm>
    </Section>
  )
}

const UNDO_FIELDS: { field: UndoField; label: string }[] = [
  { field: 'undoEmailSeconds', label: 'Email' },
  { field: 'undoWidgetSeconds', label: 'Website widget' },
  { field: 'undoTelegramSeconds', label: 'Telegram' },
  { field: 'undoApiSeconds', label: 'API' },
]

function UndoTimes(props: { organization: Organization }) {
  const form = createForm({
    what: 'the undo times',
    values: () => ofUndoFields((field) => String(props.organization[field])),
    save: (typed) => saveOrganization(ofUndoFields((field) => Number(typed[field]))),
    onSaved: () => 'Undo times saved.',
  })
  return (
    <Section
      title="Undo"
      text="How long replies wait before they are sent, 0 to 30 seconds. At 0, they are sent at once. In the widget and Telegram, Undo then removes the message for the customer."
    >
      <CardForm form={form} action="Save undo times">
        <div class="form-columns">
          <For each={UNDO_FIELDS}>
            {({ field, label }) => (
              <TextField
                {...form.text(field)}
                label={label}
                aside="seconds"
                type="number"
                min="0"
                max="30"
                step="1"
                inputmode="numeric"
                required
              />
            )}
          </For>
        </div>
      </CardForm>
    </Section>
  )
}

function ofUndoFields<Value>(read: (field: UndoField) => Value): Record<UndoField, Value> {
  return {
    undoEmailSeconds: read('undoEmailSeconds'),
    undoWidgetSeconds: read('undoWidgetSeconds'),
    undoTelegramSeconds: read('undoTelegramSeconds'),
    undoApiSeconds: read('undoApiSeconds'),
  }
}

function Identity(props: { organization: Organization }) {
  const form = createForm({
    what: 'the business identity',
    values: () => {
      const { publicName, website, signature } = props.organization
      return { publicName, website, signature }
    },
    save: saveOrganization,
    onSaved: () => 'Business identity saved.',
  })
  return (
    <Section title="Business identity" text="How customers see you in email and in the widget.">
      <CardForm form={form} action="Save identity">
        <div class="form-columns">
          <TextField
            {...form.text('publicName')}
            label="Public name"
            aside="optional"
            hint={`Default: “${props.organization.name}”.`}
          />
          <TextField
            {...form.text('website')}
            label="Website"
            aside="optional"
            hint="Linked from your name."
            placeholder="https://example.com"
            inputmode="url"
          />
        </div>
        <MarkdownArea
          {...form.text('signature')}
          label="Signature"
          hint="Optional. Added to every email reply."
        />
      </CardForm>
    </Section>
  )
}

/** Saves a change and shows it everywhere on the page. */
async function saveOrganization(change: OrganizationChange): Promise<void> {
  const saved = await ask(api.console.organization.patch(change))
  showSaved(queryKeys.organization, saved)
  if (change.name !== undefined) void queries.invalidateQueries({ queryKey: queryKeys.session })
}
