import { useMutation, useQuery } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { errorMessage, fieldError } from '../../api/api-problem.ts'
import { CardForm } from '../../forms/form.tsx'
import { Switch } from '../../ui/checkbox.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Loaded } from '../loaded.tsx'
import { Page, Section } from '../page.tsx'
import { createTypedValues } from '../typed-values.ts'
import { type Organization, organizationQuery, saveOrganization } from './organization-data.ts'

/** What the organization is called, inside and to customers, and when tickets open again. */
export function OrganizationPage() {
  const query = useQuery(() => organizationQuery)
  return (
    <Page title="Organization" lead="What your team is called here, and how customers see you.">
      <Loaded query={query} what="The organization">
        {(organization) => (
          <>
            <Name organization={organization()} />
            <TicketRules organization={organization()} />
            <Identity organization={organization()} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Name(props: { organization: Organization }) {
  const [values, setValues, sendValues] = createTypedValues('The name of the organization', () => ({
    name: props.organization.name,
  }))
  const save = useMutation(() => ({
    mutationFn: () => sendValues(saveOrganization),
    onSuccess: () => void toast('The name is saved.'),
  }))
  return (
    <Section title="Name">
      <CardForm save={save} fields={['name']} action="Save name">
        <TextField
          label="Name of the organization"
          hint="Your colleagues see it, and the commands on the server know it by this name."
          value={values.name}
          onInput={(name) => setValues({ name })}
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
          hint="Otherwise the status doesn’t change."
          organization={props.organization}
        />
        <RuleSwitch
          rule="assignOnReply"
          label="Assign tickets to the agent who replies"
          hint="Applies to unassigned tickets."
          organization={props.organization}
        />
      </div>
    </Section>
  )
}

function RuleSwitch(props: {
  rule: 'reopens' | 'assignOnReply'
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

const IDENTITY = ['publicName', 'website', 'signature'] as const

function Identity(props: { organization: Organization }) {
  const [values, setValues, sendValues] = createTypedValues('The business identity', () => ({
    publicName: props.organization.publicName,
    website: props.organization.website,
    signature: props.organization.signature,
  }))
  const save = useMutation(() => ({
    mutationFn: () => sendValues(saveOrganization),
    onSuccess: () => void toast('The business identity is saved.'),
  }))
  return (
    <Section title="Business identity" text="What customers see of you in e-mails and in the widget.">
      <CardForm save={save} fields={IDENTITY} action="Save identity">
        <div class="two">
          <TextField
            label="Public name"
            aside="optional"
            hint={`Empty: customers see “${props.organization.name}”.`}
            value={values.publicName}
            onInput={(publicName) => setValues({ publicName })}
            error={fieldError(save.error, 'publicName')}
          />
          <TextField
            label="Website"
            aside="optional"
            hint="Your name links to it."
            placeholder="https://example.com"
            inputmode="url"
            value={values.website}
            onInput={(website) => setValues({ website })}
            error={fieldError(save.error, 'website')}
          />
        </div>
        <TextArea
          label="Signature"
          aside="optional"
          hint="Stands under every reply that goes out by e-mail."
          value={values.signature}
          onInput={(signature) => setValues({ signature })}
          error={fieldError(save.error, 'signature')}
        />
      </CardForm>
    </Section>
  )
}
