import { createSignal, For, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { lazyPart } from '../../live/lazy-page.tsx'
import type { AttachmentList, AttachmentListProps } from './attachment-list.tsx'
import { attachmentUrl } from './attachment-type.ts'

const [list, setList] = createSignal<typeof AttachmentList>()

/** Loads the list before a thread with attachments is shown, so that nothing moves. If that fails, there are plain links. */
export async function loadAttachmentList(): Promise<void> {
  if (list()) return
  const loaded = await import('./attachment-list.tsx').catch(() => undefined)
  if (loaded) setList(() => loaded.AttachmentList)
}

/** The files of a message. */
export function Attachments(props: AttachmentListProps) {
  return (
    <Show when={props.attachments?.length}>
      <Show
        when={list()}
        fallback={
          <ul aria-label="Files">
            <For each={props.attachments}>
              {({ id, name }) => (
                <li>
                  <a href={attachmentUrl(id)} download={name}>
                    {name}
                  </a>
                </li>
              )}
            </For>
          </ul>
        }
      >
        {(loaded) => <Dynamic component={loaded()} {...props} />}
      </Show>
    </Show>
  )
}

// What handles files loads when something is written, not with the inbox.

/** If it can't be loaded, the files are attached anyway. */
export const DraftFiles = lazyPart(
  async () => (await import('./draft-files.tsx')).DraftFiles,
  () => <p role="alert">Couldn't show the attached files. Reload the page.</p>,
)

/** Without it, files can still be chosen. */
export const DropTarget = lazyPart(async () => (await import('./drop-target.tsx')).DropTarget)
