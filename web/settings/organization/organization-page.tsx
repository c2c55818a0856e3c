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
            <Reopening organization={organization()} />
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

function Reopening(props: { organization: Organization }) {
  // Shown at once; a refusal puts it back.
  const [wanted, setWanted] = createSignal<boolean>()
  const save = useMutation(() => ({
    mutationFn: (reopens: boolean) => saveOrganization({ reopens }),
    onMutate: setWanted,
    onError: (error) => void toastError(errorMessage(error)),
    onSettled: () => setWanted(undefined),
  }))
  return (
    <Section title="Tickets">
      <div class="card">
        <Switch
          label="Open a ticket again when its customer writes"
          hint="A pending or resolved ticket is set to open by a new message of the customer, so that nobody overlooks it. Off: it keeps its status."
          isChecked={wanted() ?? props.organization.reopens}
          onChange={(reopens) => save.mutate(reopens)}
        />
      </div>
    </Section>
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
