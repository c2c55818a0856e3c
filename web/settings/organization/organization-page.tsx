import { queryOptions, useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal, For } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage, fieldError } from '../../api/api-problem.ts'
import { queries, showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { CardForm } from '../../forms/form.tsx'
import { Switch } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Page, Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'

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
            <UndoTimes organization={organization()} />
            <Identity organization={organization()} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Name(props: { organization: Organization }) {
  const form = createFormState('the organization name', () => ({
    name: props.organization.name,
  }))
  const save = useMutation(() => ({
    mutationFn: () => form.save(saveOrganization),
    onSuccess: () => void toast('Name saved.'),
  }))
  return (
    <Section title="Name">
      <CardForm save={save} fields={['name']} action="Save name" isUnchanged={!form.isChanged()}>
        <TextField
          label="Organization name"
          hint="Shown to your team. Server commands use it too."
          value={form.values.name}
          onInput={(name) => form.setValues({ name })}
          error={fieldError(save.error, 'name')}
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
        <RuleSwitch
          rule="reopens"
          label="Reopen tickets when the customer replies"
          hint="Otherwise the status doesn't change."
          organization={props.organization}
        />
        <RuleSwitch
          rule="assignOnReply"
          label="Assign tickets to the agent who replies"
          hint="Applies to unassigned tickets."
          organization={props.organization}
        />
        <RuleSwitch
          rule="emailsApiTickets"
          label="Also send replies to API tickets by email"
          hint="Your integration still gets each reply by webhook. Needs a connected mailbox."
          organization={props.organization}
        />
      </div>
    </Section>
  )
}

function RuleSwitch(props: {
  rule: 'reopens' | 'assignOnReply' | 'emailsApiTickets'
  label: string
  hint: string
  organization: Organization
}) {
  // Shown at once; if saving fails, the switch goes back.
  const [chosen, setChosen] = createSignal<boolean>()
  const save = useMutation(() => ({
    mutationFn: (isOn: boolean) => saveOrganization({ [props.rule]: isOn }),
    onMutate: setChosen,
    onError: (error) => void toastError(errorMessage(error)),
    onSettled: () => setChosen(undefined),
  }))
  return (
    <Switch
      label={props.label}
      hint={props.hint}
      isChecked={chosen() ?? props.organization[props.rule]}
      onChange={(isOn) => save.mutate(isOn)}
    />
  )
}

const UNDO_FIELDS: { field: UndoField; label: string }[] = [
  { field: 'undoEmailSeconds', label: 'Email' },
  { field: 'undoWidgetSeconds', label: 'Website widget' },
  { field: 'undoTelegramSeconds', label: 'Telegram' },
  { field: 'undoApiSeconds', label: 'API' },
]

function UndoTimes(props: { organization: Organization }) {
  const form = createFormState('the undo times', () => secondsOf(props.organization))
  const save = useMutation(() => ({
    mutationFn: () => form.save((typed) => saveOrganization(numbersOf(typed))),
    onSuccess: () => void toast('Undo times saved.'),
  }))
  return (
    <Section
      title="Undo"
      text="How long replies wait before they are sent, 0 to 30 seconds. At 0, they are sent at once. In the widget and Telegram, Undo then removes the message for the customer."
    >
      <CardForm
        save={save}
        fields={UNDO_FIELDS.map(({ field }) => field)}
        action="Save undo times"
        isUnchanged={!form.isChanged()}
      >
        <div class="form-columns">
          <For each={UNDO_FIELDS}>
            {({ field, label }) => (
              <TextField
                label={label}
                aside="seconds"
                type="number"
                min="0"
                max="30"
                step="1"
                inputmode="numeric"
                value={form.values[field]}
                onInput={(seconds) => form.setValues({ [field]: seconds })}
                error={fieldError(save.error, field)}
                required
              />
            )}
          </For>
        </div>
      </CardForm>
    </Section>
  )
}

function secondsOf(organization: Organization): Record<UndoField, string> {
  const { undoEmailSeconds, undoWidgetSeconds, undoTelegramSeconds, undoApiSeconds } = organization
  return {
    undoEmailSeconds: String(undoEmailSeconds),
    undoWidgetSeconds: String(undoWidgetSeconds),
    undoTelegramSeconds: String(undoTelegramSeconds),
    undoApiSeconds: String(undoApiSeconds),
  }
}

function numbersOf(typed: Record<UndoField, string>): Record<UndoField, number> {
  const { undoEmailSeconds, undoWidgetSeconds, undoTelegramSeconds, undoApiSeconds } = typed
  return {
    undoEmailSeconds: Number(undoEmailSeconds),
    undoWidgetSeconds: Number(undoWidgetSeconds),
    undoTelegramSeconds: Number(undoTelegramSeconds),
    undoApiSeconds: Number(undoApiSeconds),
  }
}

const IDENTITY = ['publicName', 'website', 'signature'] as const

function Identity(props: { organization: Organization }) {
  const form = createFormState('the business identity', () => ({
    publicName: props.organization.publicName,
    website: props.organization.website,
    signature: props.organization.signature,
  }))
  const save = useMutation(() => ({
    mutationFn: () => form.save(saveOrganization),
    onSuccess: () => void toast('Business identity saved.'),
  }))
  return (
    <Section title="Business identity" text="How customers see you in email and in the widget.">
      <CardForm save={save} fields={IDENTITY} action="Save identity" isUnchanged={!form.isChanged()}>
        <div class="form-columns">
          <TextField
            label="Public name"
            aside="optional"
            hint={`Default: “${props.organization.name}”.`}
            value={form.values.publicName}
            onInput={(publicName) => form.setValues({ publicName })}
            error={fieldError(save.error, 'publicName')}
          />
          <TextField
            label="Website"
            aside="optional"
            hint="Linked from your name."
            placeholder="https://example.com"
            inputmode="url"
            value={form.values.website}
            onInput={(website) => form.setValues({ website })}
            error={fieldError(save.error, 'website')}
          />
        </div>
        <MarkdownArea
          label="Signature"
          hint="Optional. Added to every email reply."
          value={form.values.signature}
          onInput={(signature) => form.setValues({ signature })}
          error={fieldError(save.error, 'signature')}
        />
      </CardForm>
    </Section>
  )
}

/** Saves a change and shows it everywhere on the page. */
async function saveOrganization(change: OrganizationChange): Promise<void> {
  const saved = await ask(api.console.organization.patch(change))
  showSaved(['organization'], saved)
  if (change.name !== undefined) void queries.invalidateQueries({ queryKey: queryKeys.session })
}
