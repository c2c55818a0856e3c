import { createEffect, createMemo, For, Match, on, Show, Switch } from 'solid-js'
import { formatSize } from '../../../server/text/sizes.ts'
import { announce } from '../../ui/announcer.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { pushUndo } from '../changes/undo.ts'
import type { DraftAttachment } from '../draft/draft-content.ts'
import { FileIcon } from './attachment-list.tsx'
import { attachmentUrl, isImage } from './attachment-type.ts'
import type { Upload, UploadQueue } from './upload-queue.ts'
import { viewOnClick } from './view-on-click.ts'
import './draft-files.css'

import RotateCw from 'lucide-solid/icons/rotate-cw'
import X from 'lucide-solid/icons/x'

/** What has the files: the draft of a reply or note, or of an email outside of the composer. */
export interface FilesDraft {
  state: () => { attachments: DraftAttachment[] }
  uploads: () => UploadQueue | undefined
  attach: (file: DraftAttachment) => void
  removeFile: (id: string) => void
  /** Doesn't send after the uploads. */
  cancelSend: () => void
}

interface DraftFilesProps {
  draft: FilesDraft
  /** The most that a message can have. */
  most: number
  /** A dialog has no room for the viewer: images open in another tab. */
  isInDialog?: boolean | undefined
  /** The file that had the focus is gone, and there is no other. */
  onLeave: () => void
}

type DraftFile = { key: string } & (
  | { attachment: DraftAttachment; upload?: never }
  | { upload: Upload; attachment?: never }
)

/** The files of a draft, and those that are still being uploaded. */
export function DraftFiles(props: DraftFilesProps) {
  let list: HTMLUListElement | undefined
  const files = createMemo(() => filesOf(props.draft))
  const byKey = createMemo(() => new Map(files().map((file) => [file.key, file])))
  const excess = () => files().length - props.most

  function remove(file: DraftFile) {
    const { draft } = props
    const at = files().indexOf(file)
    if (file.upload) {
      // What was about to be sent is not what it would be now.
      draft.cancelSend()
      draft.uploads()?.cancel(file.upload)
    } else removeAttachment(draft, file.attachment)
    const buttons = list?.querySelectorAll<HTMLElement>('.draft-files-remove') ?? []
    const next = buttons[Math.min(at, buttons.length - 1)]
    // With its last file, the list has left the page.
    if (next?.isConnected) next.focus()
    else props.onLeave()
  }

  createEffect(
    on(files, (now, before = []) => {
      for (const file of now) {
        const earlier = before.find(({ key }) => key === file.key)
        if (earlier) announceChange(earlier, file)
      }
      const shown = newest(now, before)
      if (shown >= 0) queueMicrotask(() => list?.children[shown]?.scrollIntoView({ block: 'nearest' }))
    }),
  )

  return (
    <Show when={files().length > 0}>
      <ul class="draft-files" aria-label="Attachments" ref={list}>
        <For each={files().map(({ key }) => key)}>
          {(key) => {
            const file = createMemo<DraftFile | undefined>((last) => byKey().get(key) ?? last)
            return (
              <Show when={file()}>
                {(known) => (
                  <DraftFileItem
                    file={known()}
                    isInDialog={props.isInDialog ?? false}
                    onRemove={() => remove(known())}
                    onRetry={(upload) => props.draft.uploads()?.retry(upload)}
                  />
                )}
              </Show>
            )
          }}
        </For>
      </ul>
      <Show when={excess() > 0}>
        <p class="draft-files-excess" role="status">
          A message can have {props.most} files. Remove {excess()}.
        </p>
      </Show>
    </Show>
  )
}

interface DraftFileItemProps {
  file: DraftFile
  isInDialog: boolean
  onRemove: () => void
  onRetry: (upload: Upload) => void
}

function DraftFileItem(props: DraftFileItemProps) {
  const upload = () => props.file.upload
  const attachment = () => props.file.attachment
  const name = () => upload()?.name ?? attachment()?.name ?? ''
  const hasProblem = () => upload()?.state === 'failed' || upload()?.state === 'retrying'
  return (
    <li class="draft-files-item" data-state={upload()?.state ?? 'attached'}>
      <Show when={imageOf(attachment())} fallback={<FileIcon type={attachment()?.type ?? ''} />}>
        {(image) => <img class="draft-files-image" src={attachmentUrl(image().id)} alt="" />}
      </Show>
      <div class="draft-files-text">
        <Show
          when={attachment()}
          fallback={
            <span class="draft-files-name cut" title={name()}>
              {name()}
            </span>
          }
        >
          {(known) => (
            <a
              class="draft-files-name cut"
              title={name()}
              href={attachmentUrl(known().id)}
              target="_blank"
              rel="noopener"
              download={isImage(known()) ? undefined : name()}
              onClick={(event) => {
                if (isImage(known()) && !props.isInDialog) viewOnClick(event, known().id)
              }}
            >
              {name()}
            </a>
          )}
        </Show>
        <Switch fallback={<span class="draft-files-detail">{detailOf(attachment())}</span>}>
          <Match when={hasProblem() && upload()}>
            {(failed) => <span class="draft-files-problem">{failed().reason}</span>}
          </Match>
          <Match when={upload()}>{(running) => <UploadProgress upload={running()} />}</Match>
        </Switch>
      </div>
      <Show when={hasProblem() && upload()?.canRetry && upload()}>
        {(failed) => (
          <IconButton name={`Retry ${name()}`} size="small" onClick={() => props.onRetry(failed())}>
            <RotateCw />
          </IconButton>
        )}
      </Show>
      <IconButton
        name={upload() && !hasProblem() ? `Cancel ${name()}` : `Remove ${name()}`}
        size="small"
        class="draft-files-remove"
        onClick={props.onRemove}
      >
        <X />
      </IconButton>
    </li>
  )
}

function detailOf(attachment: DraftAttachment | undefined): string {
  const size = formatSize(attachment?.size ?? 0)
  return attachment?.isInline ? `Inline · ${size}` : size
}

function imageOf(attachment: DraftAttachment | undefined): DraftAttachment | undefined {
  return attachment && isImage(attachment) ? attachment : undefined
}

function UploadProgress(props: { upload: Upload }) {
  const share = () => Math.min(props.upload.sentBytes() / props.upload.size, 1)
  return (
    <span class="draft-files-detail">
      {Math.floor(share() * 100)}% of {formatSize(props.upload.size)}
      <progress class="draft-files-progress" aria-label={`Uploading ${props.upload.name}`} value={share()} />
    </span>
  )
}

/** In the order in which they were added. */
function filesOf({ state, uploads }: FilesDraft): DraftFile[] {
  const attached = state().attachments.map((attachment) => {
    const { id, addedAt } = attachment
    return { attachment, key: addedAt === undefined ? id : String(addedAt), addedAt }
  })
  const uploading = (uploads()?.uploads() ?? []).map((upload) => {
    return { upload, key: String(upload.addedAt), addedAt: upload.addedAt }
  })
  return [...attached, ...uploading].sort((one, other) => (one.addedAt ?? 0) - (other.addedAt ?? 0))
}

function removeAttachment(draft: FilesDraft, file: DraftAttachment): void {
  draft.removeFile(file.id)
  pushUndo({ label: `Removed ${file.name}`, undo: () => draft.attach(file) })
}

/** What there is to see of a change of the files: one that failed, or else the last that was added. -1 for nothing. */
function newest(now: DraftFile[], before: DraftFile[]): number {
  const hasFailed = (file: DraftFile | undefined) => file?.upload?.state === 'failed'
  const known = new Map(before.map((file) => [file.key, file]))
  const failed = now.findIndex((file) => hasFailed(file) && !hasFailed(known.get(file.key)))
  if (failed >= 0) return failed
  return now.findLastIndex(({ key, upload }) => upload !== undefined && !known.has(key))
}

function announceChange(before: DraftFile, { attachment, upload }: DraftFile): void {
  if (attachment && before.upload) announce(`${attachment.name} attached`)
  else if (upload?.state === 'failed' && before.upload?.state !== 'failed') {
    announce(`${upload.name}: ${upload.reason}`)
  }
}
