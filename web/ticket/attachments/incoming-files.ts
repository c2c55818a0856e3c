/** What browsers call an image that was copied from a page or a screenshot. */
const UNNAMED = /^image\.(?:png|jpe?g|gif|webp|bmp|tiff?)$/i

/** A file that was pasted into a text. An image is shown there, and not attached. */
export class PastedFile extends File {}

interface IncomingFiles {
  files: File[]
  folderCount: number
}

/** Whether files are dragged, and not text or a link. */
export function hasFiles(data: DataTransfer | null): data is DataTransfer {
  return data?.types.includes('Files') ?? false
}

/** The files of a drop. A folder would look like an empty or unreadable file. */
export function droppedFiles({ items }: DataTransfer): IncomingFiles {
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
export function pastedFiles(data: DataTransfer | null, now: Date): PastedFile[] {
  if (!hasFiles(data)) return []
  const files = [...data.files]
  const text = data.getData('text/plain').trim()
  const isNames = text === files.map(({ name }) => name).join('\n')
  return text === '' || isNames ? files.map((file, at) => named(file, now, at)) : []
}

/** Customers see the name, and several pictures should have different ones. */
function named(file: File, now: Date, at: number): PastedFile {
  const { type, lastModified } = file
  if (!UNNAMED.test(file.name)) return new PastedFile([file], file.name, { type, lastModified })
  const [date, time] = localTime(now)
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase()
  const number = at === 0 ? '' : ` (${at + 1})`
  return new PastedFile([file], `Pasted image ${date} at ${time}${number}.${extension}`, { type })
}

/** `2026-03-01` and `14.03.05`: a colon can't be in file names everywhere. */
function localTime(now: Date): [string, string] {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString()
  return [local.slice(0, 10), local.slice(11, 19).replaceAll(':', '.')]
}
