import Paperclip from 'lucide-solid/icons/paperclip'
import X from 'lucide-solid/icons/x'
import { createSignal, For, onCleanup } from 'solid-js'
import { errorMessage } from '../../api/api-problem.ts'
import { uploadFile } from '../../api/upload-file.ts'
import type { SavedReply } from '../../api/workspace.ts'
import type { FormFields } from '../../forms/create-form.ts'
import { useAssignees } from '../../ticket/header/pickers.tsx'
import { STATUSES } from '../../ticket/ticket-names.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toastError } from '../../ui/toaster.tsx'
import './replies.css'

// What a saved reply has beside its name and text.

interface ReplyFile {
  id: string
  name: string
}

type Status = keyof typeof STATUSES
const STATUS_NAMES: Status[] = ['open', 'pending', 'resolved']
const UNCHANGED = 'unchanged'

type ReplyValues = {
  name: string
  text: string
  isShared: boolean
  files: ReplyFile[]
  /** `UNCHANGED`, or the status. */
  status: string
  /** `UNCHANGED`, an agent's id, or empty for no one. */
  assignedTo: string
  /** With commas. */
  addTags: string
  removeTags: string
}

/** A new one is for the team if its author may change the settings, and else their own at first. */
export function valuesOf(reply: SavedReply | undefined, isAdmin: boolean): ReplyValues {
  const { name = '', text = '', isShared = isAdmin, attachments = [], actions = {} } = reply ?? {}
  const { status, assignedTo, addTags = [], removeTags = [] } = actions
  return {
    name,
    text,
    isShared,
    files: attachments.map((file) => ({ id: file.id, name: file.name })),
    status: status ?? UNCHANGED,
    assignedTo: assignedTo === undefined ? UNCHANGED : (assignedTo ?? ''),
    addTags: addTags.join(', '),
    removeTags: removeTags.join(', '),
  }
}

/** As the server takes it. */
export function contentOf({ name, text, isShared, files, ...does }: ReplyValues) {
  const status = STATUS_NAMES.find((one) => one === does.status)
  const [addTags, removeTags] = [tagsIn(does.addTags), tagsIn(does.removeTags)]
  const actions = {
    ...(status && { status }),
    ...(does.assignedTo !== UNCHANGED && { assignedTo: does.assignedTo || null }),
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
  }
  return {
    name,
    text,
    isShared,
    attachments: files.map(({ id }) => id),
    actions: Object.keys(actions).length > 0 ? actions : null,
  }
}

function tagsIn(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean)
}

/** What is done to the ticket when the reply is sent. */
export function ReplyActions(props: { form: FormFields<ReplyValues> }) {
  const assignees = useAssignees()
  const people = () => assignees().map(({ value, label }) => ({ value, label }))
  return (
    <fieldset class="reply-extras-actions stack-tight">
      <legend>Then</legend>
      <p class="field-hint">Done when the reply is sent. Without a text and files, it is done at once.</p>
      <Select
        {...props.form.choice('status', 'actions/status')}
        label="Status"
        options={[
          { value: UNCHANGED, label: "Don't change" },
          ...STATUS_NAMES.map((status) => ({ value: status, label: STATUSES[status].name })),
        ]}
      />
      <Select
        {...props.form.choice('assignedTo', 'actions/assignedTo')}
        label="Assignee"
        options={[{ value: UNCHANGED, label: "Don't change" }, ...people()]}
      />
      <TextField
        {...props.form.text('addTags', 'actions/addTags')}
        label="Add tags"
        placeholder="refund, billing"
        autocomplete="off"
      />
      <TextField
        {...props.form.text('removeTags', 'actions/removeTags')}
        label="Remove tags"
        autocomplete="off"
      />
    </fieldset>
  )
}

interface ReplyFilesProps {
  files: readonly ReplyFile[]
  onChange: (files: ReplyFile[]) => void
}

/** The files that are added to the reply. */
export function ReplyFiles(props: ReplyFilesProps) {
  const [isBusy, setBusy] = createSignal(false)
  let picker: HTMLInputElement | undefined
  const stopping = new AbortController()
  onCleanup(() => stopping.abort())

  async function add(files: File[]): Promise<void> {
    setBusy(true)
    for (const file of files) {
      try {
        const { id, name } = await uploadFile(file, {
          isInline: false,
          signal: stopping.signal,
          onProgress: () => {},
        })
        props.onChange([...props.files, { id, name }])
      } catch (error) {
        if (stopping.signal.aborted) return
        toastError(`Couldn't upload “${file.name}”. ${errorMessage(error)}`)
      }
    }
    setBusy(false)
  }

  return (
    <div class="stack-tight">
      <input
        type="file"
        multiple
        hidden
        aria-label="Files of the reply"
        ref={picker}
        onChange={({ currentTarget }) => {
          void add([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <ul class="reply-extras-files" aria-label="Files">
        <For each={props.files}>
          {(file) => (
            <li class="row">
              <span class="cut">{file.name}</span>
              <IconButton
                name={`Remove ${file.name}`}
                size="small"
                onClick={() => props.onChange(props.files.filter(({ id }) => id !== file.id))}
              >
                <X />
              </IconButton>
            </li>
          )}
        </For>
      </ul>
      <div>
        <Button size="small" icon={<Paperclip />} isBusy={isBusy()} onClick={() => picker?.click()}>
          Attach files
        </Button>
      </div>
    </div>
  )
}
