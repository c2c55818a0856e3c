import Paperclip from 'lucide-solid/icons/paperclip'
import { useKeys } from '../../keyboard/keys.ts'
import { IconButton } from '../../ui/icon-button.tsx'

const KEYS = 'mod+u'

interface AttachButtonProps {
  onFiles: (files: File[]) => void
  isInDialog?: boolean | undefined
}

/** Opens the browser's file picker, also by a key. */
export function AttachButton(props: AttachButtonProps) {
  let picker: HTMLInputElement | undefined
  const open = () => picker?.click()
  useKeys(() => [
    {
      id: 'ticket.attach',
      label: 'Attach files',
      section: 'Reply',
      keys: [KEYS],
      isForFields: true,
      isForDialogs: props.isInDialog ?? false,
      run: open,
    },
  ])
  return (
    <>
      <input
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        ref={picker}
        onChange={({ currentTarget }) => {
          props.onFiles([...(currentTarget.files ?? [])])
          // Choosing the same file again is a change then.
          currentTarget.value = ''
        }}
      />
      <IconButton name="Attach files" keys={KEYS} size="small" onClick={open}>
        <Paperclip />
      </IconButton>
    </>
  )
}
