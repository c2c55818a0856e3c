import { queryOptions, useMutation, useQuery } from '@tanstack/solid-query'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { showSaved } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { CardForm } from '../../forms/form.tsx'
import { toast } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Section } from '../page-layout.tsx'
import { QueryView } from '../query-view.tsx'

const signatureQuery = queryOptions({
  queryKey: queryKeys.ownSignature,
  queryFn: () => ask(api.console.me.signature.get()),
})

/** What the agent's email replies end with. */
export function SignatureSection() {
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
  const form = createFormState('your signature', () => ({ signature: props.signature }))
  const save = useMutation(() => ({
    mutationFn: () => form.save((sent) => ask(api.console.me.signature.put(sent))),
    onSuccess: (saved) => {
      showSaved(queryKeys.ownSignature, saved)
      toast('Signature saved.')
    },
  }))
  return (
    <CardForm save={save} fields={['signature']} action="Save signature" isUnchanged={!form.isChanged()}>
      <MarkdownArea
        label="Your signature"
        hint="Added to your email replies, above the mailbox's signature."
        value={form.values.signature}
        onInput={(signature) => form.setValues({ signature })}
        error={fieldError(save.error, 'signature')}
      />
    </CardForm>
  )
}
