import { For, Show } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useAgents } from '../../api/workspace.ts'
import { createForm, type FormFields } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { CodeBlock } from '../code-block.tsx'
import { SecretDialog, SecretOnce } from '../secret.tsx'

export type ApiKey = Answer<typeof api.console.keys.get>['data'][number]
type Scope = NonNullable<ApiKey['scopes']>[number]
type Expiry = 'never' | 'month' | 'quarter' | 'year' | 'day'

type KeyValues = {
  name: string
  /** The id of the program that acts with it; empty for none. */
  program: string
  /** The whole API, or only the chosen scopes. */
  access: 'full' | 'scoped'
  /** With full access, those that are no part of it. */
  scopes: Scope[]
  rateLimit: string
  expiry: Expiry
  /** The value of `<input type="date">`. The key expires at the end of that day, in this time zone. */
  lastDay: string
}

const EXPIRIES: { value: Expiry; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'month', label: 'In 30 days' },
  { value: 'quarter', label: 'In 90 days' },
  { value: 'year', label: 'In 1 year' },
  { value: 'day', label: 'On a date…' },
]
const ACCESS = [
  { value: 'full', label: 'Full access' },
  { value: 'scoped', label: 'Limited…' },
] as const
const DAYS = { month: 30, quarter: 90, year: 365 } as const

interface KnownScope {
  scope: Scope
  text: string
}

/** The scopes of full access, and what each allows. */
const SCOPES: { title: string; scopes: KnownScope[] }[] = [
  {
    title: 'Tickets',
    scopes: [
      { scope: 'tickets:read', text: 'Read tickets, messages, tags and events.' },
      { scope: 'tickets:write', text: 'Create, change, merge and split tickets.' },
      { scope: 'messages:write', text: 'Send messages on tickets as an agent.' },
      { scope: 'notes:read', text: 'Read internal notes.' },
      { scope: 'notes:write', text: 'Add internal notes.' },
      { scope: 'suggestions:write', text: 'Suggest answers to agents.' },
    ],
  },
  {
    title: 'People',
    scopes: [
      { scope: 'customers:read', text: 'Read customers, and what agents know of them.' },
      { scope: 'customers:write', text: 'Create, change and merge customers.' },
      { scope: 'agents:read', text: 'Read the email addresses of agents.' },
    ],
  },
  {
    title: 'Webhooks',
    scopes: [{ scope: 'endpoints:read', text: 'Read webhook endpoints and their deliveries.' }],
  },
]
/** What a key can do only if it is chosen by name. */
const NAMED: KnownScope[] = [
  { scope: 'endpoints:write', text: 'Create, change and delete webhook endpoints, and resend deliveries.' },
  { scope: 'import:write', text: 'Import tickets with their dates and authors.' },
  { scope: 'erase', text: 'Delete tickets and customers permanently.' },
]
const FULL = SCOPES.flatMap(({ scopes }) => scopes.map(({ scope }) => scope))
const NO_PROGRAM = 'none'
const DAY_MS = 86_400_000

/** Creates a secret key, then shows it once. */
export function NewKey(props: { onClose: () => void }) {
  const form = createForm({
    values: (): KeyValues => ({
      name: '',
      program: NO_PROGRAM,
      access: 'full',
      scopes: [],
      rateLimit: '',
      expiry: 'never',
      lastDay: '',
    }),
    save: (values) => ask(api.console.keys.post(bodyOf(values))),
    onSaved: keysChanged,
  })
  return (
    <Show
      when={form.submit.data}
      fallback={
        <FormDialog form={form} title="New API key" action="Create key" onClose={props.onClose}>
          <TextField
            {...form.text('name')}
            label="Name"
            hint="The program that will use it, like “Web shop”."
            autocomplete="off"
            required
          />
          <Programs form={form} />
          <Access form={form} />
          <div class="form-columns">
            <Expiration form={form} />
            <TextField
              {...form.text('rateLimit')}
              label="Requests per minute"
              aside="optional"
              hint="Leave empty for the server limit."
              type="number"
              min="1"
              step="1"
              inputmode="numeric"
            />
          </div>
        </FormDialog>
      }
    >
      {(created) => (
        <SecretDialog isOpen title="Save your key" size="wide" onDone={props.onClose}>
          <KeySecret secret={created().secret} scopes={created().key.scopes ?? undefined} />
        </SecretDialog>
      )}
    </Show>
  )
}

/** Reloads the keys after a change. */
export function keysChanged(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.apiKeys })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}

/** When the key expires. */
function Expiration(props: { form: FormFields<KeyValues> }) {
  const isDay = () => props.form.values.expiry === 'day'
  const expiry = props.form.choice('expiry', 'expiresAt')
  return (
    <div class="stack-tight">
      <Select
        label="Expires"
        options={EXPIRIES}
        value={expiry.value}
        onChange={expiry.onChange}
        error={isDay() ? undefined : expiry.error}
        hint={
          props.form.values.expiry === 'never'
            ? 'The key works until you revoke it.'
            : 'The key stops working then.'
        }
      />
      <Show when={isDay()}>
        <TextField {...props.form.text('lastDay', 'expiresAt')} label="Last day" type="date" required />
      </Show>
    </div>
  )
}

/** Which program acts with the key, if there is any. */
function Programs(props: { form: FormFields<KeyValues> }) {
  const agents = useAgents()
  const options = () => [
    { value: NO_PROGRAM, label: 'No program', hint: 'Messages have the name of the key.' },
    ...agents()
      .filter(({ role, state }) => role === 'program' && state === 'active')
      .map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <Show when={options().length > 1}>
      <Select {...props.form.choice('program')} label="Acts as" options={options()} />
    </Show>
  )
}

/** Full access, or the chosen scopes; and those that are part of neither unless chosen. */
function Access(props: { form: FormFields<KeyValues> }) {
  const error = props.form.errorAt('scopes')
  const isScoped = () => props.form.values.access === 'scoped'
  return (
    <fieldset class="form-choices stack-tight">
      <legend>Access</legend>
      <SegmentedControl {...props.form.choice('access')} label="Access" options={ACCESS} />
      <Show
        when={isScoped()}
        fallback={
          <p class="field-hint">Can use the whole API for this organization, but for what is below.</p>
        }
      >
        <For each={SCOPES}>
          {({ title, scopes }) => <ScopeGroup form={props.form} title={title} scopes={scopes} />}
        </For>
      </Show>
      <ScopeGroup form={props.form} title="Not part of full access" scopes={NAMED} />
      <Show when={error()}>{(fault) => <ErrorText>{fault()}</ErrorText>}</Show>
    </fieldset>
  )
}

function ScopeGroup(props: { form: FormFields<KeyValues>; title: string; scopes: KnownScope[] }) {
  const toggle = (scope: Scope, isChosen: boolean) => {
    const others = props.form.values.scopes.filter((one) => one !== scope)
    props.form.set({ scopes: isChosen ? [...others, scope] : others })
  }
  return (
    <fieldset class="form-choices stack-tight">
      <legend>{props.title}</legend>
      <For each={props.scopes}>
        {({ scope, text }) => (
          <Checkbox
            label={<span class="mono">{scope}</span>}
            hint={text}
            isChecked={props.form.values.scopes.includes(scope)}
            onChange={(isChosen) => toggle(scope, isChosen)}
          />
        )}
      </For>
    </fieldset>
  )
}

/** "Full access and erase", "tickets:read, notes:read" */
export function accessOf(scopes: readonly Scope[]): string {
  const others = scopes.filter((scope) => !FULL.includes(scope))
  const isFull = FULL.every((scope) => scopes.includes(scope))
  return isFull ? ['Full access', others.join(', ')].filter(Boolean).join(' and ') : scopes.join(', ')
}

/** The scopes that were chosen. Undefined for full access; with others besides, they are all listed. */
function chosenScopes({ access, scopes }: Pick<KeyValues, 'access' | 'scopes'>): Scope[] | undefined {
  if (access === 'scoped') return [...scopes]
  const named = NAMED.map(({ scope }) => scope).filter((scope) => scopes.includes(scope))
  return named.length > 0 ? [...FULL, ...named] : undefined
}

/** The request body, with only what was chosen. */
function bodyOf({ name, program, access, scopes, rateLimit, ...when }: KeyValues) {
  const expiresAt = endOf(when)
  const chosen = chosenScopes({ access, scopes })
  return {
    name,
    ...(program !== NO_PROGRAM && { program }),
    ...(chosen && { scopes: chosen }),
    ...(rateLimit !== '' && { rateLimit: Number(rateLimit) }),
    ...(expiresAt && { expiresAt }),
  }
}

function endOf({ expiry, lastDay }: Pick<KeyValues, 'expiry' | 'lastDay'>): string | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'day') return new Date(Date.now() + DAYS[expiry] * DAY_MS).toISOString()
  const end = new Date(`${lastDay}T23:59:59.999`)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}

/** A new key, shown once, with an example request. */
function KeySecret(props: { secret: string; scopes: Scope[] | undefined }) {
  return (
    <div class="stack">
      <SecretOnce
        label="API key"
        secret={props.secret}
        text="Store it like a password; never in a web page."
      />
      <div class="stack-tight">
        <p>Try it in a terminal:</p>
        <CodeBlock label="Example request" code={exampleFor(props.secret, props.scopes)} />
      </div>
    </div>
  )
}

/** A request that the scopes allow. */
function exampleFor(secret: string, scopes: Scope[] | undefined): string {
  const tickets = `${location.origin}/v1/tickets`
  const key = `-H 'Authorization: Bearer ${secret}'`
  const json = "-H 'Content-Type: application/json'"
  if (!scopes || scopes.includes('tickets:write')) {
    const body = '{"subject":"Hello","message":"Is anyone there?","customer":{"email":"ana@example.com"}}'
    return `curl ${tickets} \\\n  ${key} \\\n  ${json} \\\n  -d '${body}'`
  }
  if (scopes.includes('tickets:read')) return `curl ${tickets} \\\n  ${key}`
  return `curl ${tickets}/TICKET_ID/messages \\\n  ${key} \\\n  ${json} \\\n  -d '{"text":"Hello"}'`
}
