import { useMutation } from '@tanstack/solid-query'
import { createSignal, type JSX, Show } from 'solid-js'
import { CardForm } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import type { FormState } from '../form-state.ts'
import { type ConnectionTest, TestResult } from './connection-test.tsx'
import type { Mailbox, MailProvider } from './mailbox-data.ts'
import { MailboxFields } from './mailbox-fields.tsx'
import { MAILBOX_FIELDS, type MailboxValues, placeOf, withAddressFault } from './mailbox-values.ts'

interface MailboxFormProps {
  form: FormState<MailboxValues>
  /** Undefined for a new one. */
  mailbox?: Mailbox
  providers: readonly MailProvider[]
  /** The provider that the address belongs to. */
  provider?: MailProvider | undefined
  /** `learned` is what a test of the same servers found out. */
  store: (values: MailboxValues, learned: ConnectionTest['learned'] | undefined) => Promise<Mailbox>
  onStored: (mailbox: Mailbox) => void | Promise<void>
  test: (values: MailboxValues) => Promise<ConnectionTest>
  /** Before the first sign-in at a provider there is nothing to test. */
  canTest: boolean
  /** The text of the button that stores. */
  action: string
  canStore: boolean
  /** After the buttons. */
  beside?: JSX.Element
}

/** The settings of a mailbox. They can be tested before they are stored. */
export function MailboxForm(props: MailboxFormProps) {
  const [error, setError] = createSignal<unknown>()
  const outcome = {
    onMutate: () => void setError(undefined),
    onError: (thrown: unknown) => void setError(withAddressFault(thrown)),
  }
  const store = useMutation(() => ({
    ...outcome,
    mutationFn: () => props.form.save((sent) => props.store(sent, learnedOf(sent))),
    onSuccess: (mailbox: Mailbox) => props.onStored(mailbox),
  }))
  const test = useMutation(() => ({
    ...outcome,
    mutationFn: async () => {
      const place = placeOf(props.form.values)
      return { ...(await props.test(props.form.values)), place }
    },
  }))
  const learnedOf = (values: MailboxValues) =>
    test.data?.place === placeOf(values) ? test.data.learned : undefined
  const save = {
    mutate: () => store.mutate(),
    get isPending() {
      return store.isPending
    },
    get error() {
      return error()
    },
  }
  return (
    <>
      <CardForm
        save={save}
        fields={MAILBOX_FIELDS}
        action={props.action}
        isUnchanged={!props.canStore}
        beside={
          <>
            <Show when={props.canTest}>
              <Button isBusy={test.isPending} onClick={() => test.mutate()}>
                Test connection
              </Button>
            </Show>
            {props.beside}
          </>
        }
      >
        <MailboxFields
          values={props.form.values}
          onChange={props.form.setValues}
          error={error()}
          providers={props.providers}
          provider={props.provider}
          folders={test.data?.folders ?? []}
          {...(props.mailbox && { mailbox: props.mailbox })}
        />
      </CardForm>
      <Show when={test.isPending}>
        <p class="muted" role="status">
          Testing. The test message can take a minute to arrive.
        </p>
      </Show>
      <Show when={!test.isPending && test.data}>
        {(result) => (
          <div class="card">
            <TestResult test={result()} />
          </div>
        )}
      </Show>
    </>
  )
}
