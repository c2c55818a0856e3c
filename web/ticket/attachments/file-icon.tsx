import FileIconBase from 'lucide-solid/icons/file'
import FileArchive from 'lucide-solid/icons/file-archive'
import FileImage from 'lucide-solid/icons/file-image'
import FileMusic from 'lucide-solid/icons/file-music'
import FilePlay from 'lucide-solid/icons/file-play'
import FileSpreadsheet from 'lucide-solid/icons/file-spreadsheet'
import FileText from 'lucide-solid/icons/file-text'
import { Dynamic } from 'solid-js/web'

const ICONS: [type: RegExp, icon: typeof FileText][] = [
  [/^image\//, FileImage],
  [/^audio\//, FileMusic],
  [/^video\//, FilePlay],
  [/spreadsheet|ms-excel|apple\.numbers|^text\/csv/, FileSpreadsheet],
  [/zip|compressed|vnd\.rar/, FileArchive],
  [/^text\/|pdf|rtf|msword|officedocument|opendocument/, FileText],
]

/** An icon for the media type of a file. */
export function FileIcon(props: { type: string }) {
  const icon = () => ICONS.find(([type]) => type.test(props.type))?.[1] ?? FileIconBase
  return <Dynamic component={icon()} />
}
