import { type JSX, Show } from 'solid-js'
import { type SessionData, useSession } from '../../api/session.ts'
import { LiveText } from '../../formatting/live-text.tsx'
import { filled, type Variable } from '../../ticket/composer/variables.ts'

/** The text as a sample customer would get it, and its unknown variables. */
export function ReplyPreview(props: { text: string }) {
  const session = useSession()
  const unknown = () => filled(props.text, sampleValues(session())).filter(({ kind }) => kind === 'unknown')
  return (
    <section class="reply-preview" aria-label="Preview">
      <h2>Preview</h2>
      <div>
        <Show
          when={props.text}
          fallback={<span class="muted">Your text appears here, as a customer would see it.</span>}
        >
          <LiveText text={props.text} renderText={(text) => renderPieces(text, session())} />
        </Show>
      </div>
      <p class="field-hint" role="status">
        <Show when={unknown().length > 0}>{unknownText(unknown().map(({ text }) => text))}</Show>
      </p>
    </section>
  )
}

/** Marks what the variables are filled in with. */
function renderPieces(text: string, session: SessionData): JSX.Element {
  return filled(text, sampleValues(session)).map((piece) =>
    piece.kind === 'text' ? piece.text : <mark data-kind={piece.kind}>{piece.text}</mark>,
  )
}

function unknownText(names: string[]): string {
  const list = names.join(', ')
  return names.length === 1
    ? `${list} isn't a variable and will be sent as typed.`
    : `${list} aren't variables and will be sent as typed.`
}

/** A sample customer and ticket for the preview. */
function sampleValues({ agent, organization }: SessionData): Record<Variable, string> {
  return {
    'customer.firstName': 'Maya',
    'customer.name': 'Maya Lindgren',
    'customer.email': 'maya@example.com',
    'ticket.subject': 'Missing invoice',
    'ticket.id': 'tkt_01m7yggb08e14a59wse62r3t6t',
    'agent.name': agent.name,
    'organization.name': organization.name,
  }
}
