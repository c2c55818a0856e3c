import { For } from 'solid-js'
import { insertText } from '../../formatting/apply-edit.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { VARIABLES, type Variable } from '../../ticket/composer/variables.ts'
import { Button } from '../../ui/button.tsx'

/** The names of the variables, on their buttons. */
const LABELS: Record<Variable, string> = {
  'customer.firstName': 'First name',
  'customer.name': 'Customer name',
  'customer.email': 'Customer email',
  'ticket.subject': 'Subject',
  'ticket.id': 'Ticket ID',
  'agent.name': 'Your name',
  'organization.name': 'Organization',
}

interface ReplyTextProps {
  value: string
  onInput: (value: string) => void
  error: string | undefined
}

/** The text of a saved reply, with buttons that insert variables at the cursor. */
export function ReplyText(props: ReplyTextProps) {
  let area: HTMLTextAreaElement | undefined
  function insert(name: string) {
    if (area) insertText(area, `{{${name}}}`)
  }
  return (
    <>
      <MarkdownArea
        hasOwnPreview
        ref={(element) => {
          area = element
        }}
        label="Text"
        value={props.value}
        onInput={props.onInput}
        error={props.error}
        required
      />
      <div class="stack-tight">
        <p class="field-hint">Insert a variable:</p>
        <ul class="reply-text-variables">
          <For each={VARIABLES}>
            {(name) => (
              <li>
                <Button size="small" onClick={() => insert(name)} title={`{{${name}}}`}>
                  {LABELS[name]}
                </Button>
              </li>
            )}
          </For>
        </ul>
      </div>
    </>
  )
}
