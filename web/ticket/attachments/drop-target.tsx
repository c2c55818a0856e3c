import { createSignal, onCleanup, onMount, Show } from 'solid-js'
import { canBeImage, imageMark } from '../../../server/formatting/inline.ts'
import { insertText } from '../../formatting/apply-edit.ts'
import { toastError } from '../../ui/toaster.tsx'
import { droppedFiles, hasFiles, pastedFiles } from './incoming-files.ts'
import './draft-files.css'

import Paperclip from 'lucide-solid/icons/paperclip'

interface DropTargetProps {
  /** What the files are attached to, such as "your reply". */
  name: string
  onFiles: (files: File[]) => void
}

/** While files are dragged over the page, this event repeats at least every 350 ms. Leaving the window has no reliable event. */
const MAX_DRAG_PAUSE_MS = 600
const DIALOGS = '[role="dialog"], [role="alertdialog"]'

/**
 * Covers its parent, the ticket or a form, while files are dragged over the page, also the frames of mails, which would
 * take them. Files pasted there are taken too. Elsewhere on the page a dropped file does nothing: the browser would open it
 * instead of the page.
 */
export function DropTarget(props: DropTargetProps) {
  const [isDragging, setDragging] = createSignal(false)
  let target: HTMLDivElement | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function end() {
    clearTimeout(timer)
    setDragging(false)
  }

  function onDrag(event: DragEvent) {
    if (!hasFiles(event.dataTransfer)) return
    const isOpen = isOnTop()
    setDragging(isOpen)
    if (isOpen && isOver(event)) event.dataTransfer.dropEffect = 'copy'
    // Not over another one of these either.
    else if (!event.defaultPrevented) event.dataTransfer.dropEffect = 'none'
    event.preventDefault()
    clearTimeout(timer)
    timer = setTimeout(end, MAX_DRAG_PAUSE_MS)
  }

  function onDrop(event: DragEvent) {
    if (!hasFiles(event.dataTransfer)) return
    event.preventDefault()
    const isTaken = isDragging() && isOver(event)
    end()
    if (!isTaken) return
    const { files, folderCount } = droppedFiles(event.dataTransfer)
    if (folderCount > 0) toastError("Folders can't be attached. Attach the files in it, or a ZIP file.")
    if (files.length > 0) props.onFiles(files)
  }

  function onPaste(event: ClipboardEvent) {
    if (event.defaultPrevented || !isOnTop() || !isInside(event.target)) return
    const files = pastedFiles(event.clipboardData, new Date())
    if (files.length === 0) return
    event.preventDefault()
    props.onFiles(files)
    const marks = files
      .map(({ name }) => name)
      .filter(canBeImage)
      .map(imageMark)
    // A picture stands where it was pasted.
    if (event.target instanceof HTMLTextAreaElement && marks.length > 0)
      insertText(event.target, marks.join('\n'))
  }

  /** Whether no dialog is over it. */
  function isOnTop(): boolean {
    return [...document.querySelectorAll(DIALOGS)].every((dialog) => dialog.contains(target ?? null))
  }

  /** Without a focused field, the page itself is the target. */
  function isInside(element: EventTarget | null): boolean {
    if (element === document.body) return true
    return element instanceof Element && (target?.parentElement?.contains(element) ?? false)
  }

  function isOver({ clientX, clientY }: DragEvent): boolean {
    const box = target?.parentElement?.getBoundingClientRect()
    if (!box) return false
    return clientX >= box.left && clientX < box.right && clientY >= box.top && clientY < box.bottom
  }

  onMount(() => {
    const listening = new AbortController()
    const { signal } = listening
    window.addEventListener('dragenter', onDrag, { signal })
    window.addEventListener('dragover', onDrag, { signal })
    window.addEventListener('drop', onDrop, { signal })
    document.addEventListener('paste', onPaste, { signal })
    onCleanup(() => {
      listening.abort()
      end()
    })
  })

  return (
    <div class="drop-target" data-shown={isDragging() || undefined} ref={target}>
      <Show when={isDragging()}>
        <p class="drop-target-hint">
          <Paperclip />
          Drop to attach to {props.name}
        </p>
      </Show>
    </div>
  )
}
