import { Show } from 'solid-js'
import { ApiProblem, sentenceOf } from '../api/api-problem.ts'
import { ErrorText } from './error-text.tsx'

/** Why a form was refused, unless the fields that it names say so themselves. */
export function FormProblem(props: { error: unknown; fields?: readonly string[] }) {
  const sentence = () =>
    props.error && !isShownAtFields(props.error, props.fields ?? []) ? sentenceOf(props.error) : ''
  return <Show when={sentence()}>{(text) => <ErrorText>{text()}</ErrorText>}</Show>
}

function isShownAtFields(error: unknown, fields: readonly string[]): boolean {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return false
  return error.errors.every(({ pointer }) => fields.some((field) => pointer === `/${field}`))
}
