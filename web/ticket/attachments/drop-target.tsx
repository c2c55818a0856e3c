import { createSignal, onCleanup, onMount, Show } from 'solid-js'
import { canBeImage, imageMark } from '../../../server/formatting/inline.ts'
import { fieldOf } from '../../formatting/writing-field.ts'
import { toastError } from '../../ui/toaster.tsx'
import { PastedFile } from './upload-queue.ts'
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
    if (marks.length > 0) fieldOf(event.target)?.insert(marks.join('\n'))
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

/** What browsers call an image that was copied from a page or a screenshot. */
const UNNAMED = /^image\.(?:png|jpe?g|gif|webp|bmp|tiff?)$/i

interface IncomingFiles {
  files: File[]
  folderCount: number
}

/** Whether files are dragged, and not text or a link. */
export function hasFiles(data: DataTransfer | null): data is DataTransfer {
  return data?.types.includes('Files') ?? false
}

/** The files of a drop. A folder would look like an empty or unreadable file. */
function droppedFiles({ items }: DataTransfer): IncomingFiles {
  const dropped = [...items].filter(({ kind }) => kind === 'file')
  const files = dropped.flatMap((item) => {
    const file = item.webkitGetAsEntry()?.isDirectory ? null : item.getAsFile()
    return file ? [file] : []
  })
  return { files, folderCount: dropped.length - files.length }
}

/**
 * The files of a paste; none when text is pasted. Office programs add a picture of the text that they copy, and some
 * systems the name of a file as text.
 */
function pastedFiles(data: DataTransfer | null, now: Date): PastedFile[] {
  if (!hasFiles(data)) return []
  const files = [...data.files]
  const text = data.getData('text/plain').trim()
  const isNames = text === files.map(({ name }) => name).join('\n')
  return text === '' || isNames ? files.map((file) => named(file, now)) : []
}

/** Names that were given on this page. */
const names = new Set<string>()

/** Customers see the name, and the text says by it where a picture stands: each has another one. */
function named(file: File, now: Date): PastedFile {
  const { type, lastModified } = file
  const [date, time] = localTime(now)
  const at = file.name.lastIndexOf('.')
  const extension = at < 0 ? '' : file.name.slice(at).toLowerCase()
  const isUnnamed = UNNAMED.test(file.name)
  const stem = isUnnamed ? `Pasted image ${date} at ${time}` : file.name.slice(0, at < 0 ? undefined : at)
  // These end the mark of a picture.
  const plain = type.startsWith('image/') ? stem.replace(/[()[\]/:\n]+/g, '-') : stem
  let name = plain + extension
  for (let number = 2; names.has(name); number++) name = `${plain}-${number}${extension}`
  names.add(name)
  return new PastedFile([file], name, isUnnamed ? { type } : { type, lastModified })
}

/** `2026-03-01` and `14.03.05`: a colon can't be in file names everywhere. */
function localTime(now: Date): [string, string] {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString()
  return [local.slice(0, 10), local.slice(11, 19).replaceAll(':', '.')]
}
