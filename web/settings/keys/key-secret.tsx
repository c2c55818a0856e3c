import { CodeBlock } from '../code-block.tsx'
import { SecretOnce } from '../secret-once.tsx'
import type { Scope } from './key-data.ts'

/** A new key, shown once, with an example request. */
export function KeySecret(props: { secret: string; scopes: Scope[] | undefined }) {
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
