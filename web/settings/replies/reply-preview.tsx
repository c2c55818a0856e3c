import { For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { filled } from '../../ticket/composer/variables.ts'
import { sampleValues } from './samples.ts'

/** The text as a customer would get it, and which variables do not exist. */
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
          fallback={<span class="muted">What you write appears here, as Ana would read it.</span>}
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
        <Show when={unknown().length > 0}>
          {unknown()
            .map(({ text }) => text)
            .join(', ')}{' '}
          is no variable: customers would read it as it stands.
        </Show>
      </p>
    </section>
  )
}
