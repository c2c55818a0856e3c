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
