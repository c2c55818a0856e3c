import { For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { filled } from '../../ticket/composer/variables.ts'
import { sampleValues } from './samples.ts'

/** The text as a sample customer would get it, and its unknown variables. */
export function ReplyPreview(props: { text: string }) {
  const session = useSession()
  const pieces = () => filled(props.text, sampleValues(session()))
  const unknown = () => pieces().filter(({ kind }) => kind === 'unknown')
  return (
    <section class="reply-preview" aria-label="Preview">
      <h2>Preview</h2>
      <div>
        <Show
          when={props.text}
          fallback={<span class="muted">Your text appears here, as a customer would see it.</span>}
        >
          <For each={pieces()}>
            {(piece) => (
              <Show when={piece.kind !== 'text'} fallback={piece.text}>
                <mark data-kind={piece.kind}>{piece.text}</mark>
              </Show>
            )}
          </For>
        </Show>
      </div>
      <p class="field-hint" role="status">
        <Show when={unknown().length > 0}>{unknownText(unknown().map(({ text }) => text))}</Show>
      </p>
    </section>
  )
}

function unknownText(names: string[]): string {
  const list = names.join(', ')
  return names.length === 1
    ? `${list} isn't a variable and will be sent as typed.`
    : `${list} aren't variables and will be sent as typed.`
}
