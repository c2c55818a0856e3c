/** The last file in a backup, so that a backup that was cut off has none. */
export const MANIFEST_FILE = 'manifest.json'
const FORMAT = 'bellhop-backup'
const FORMAT_VERSION = 1

export interface Manifest {
  format: string
  formatVersion: number
  /** Version of the program that made it. */
  bellhop: string
  /** Number of migrations of the database. */
  schema: number
  /** ISO 8601. */
  createdAt: string
  /** Files by name, without the attachments: the name of an attachment is its SHA-256. */
  files: Record<string, { bytes: number; sha256: string }>
  attachments: { files: number; bytes: number }
  /** SHA-256 of attachments that the database refers to, but that were missing or damaged when the backup was made. */
  missing: string[]
}

export function manifestOf(content: Omit<Manifest, 'format' | 'formatVersion'>): Manifest {
  return { format: FORMAT, formatVersion: FORMAT_VERSION, ...content }
}

/** Undefined when it isn't a manifest. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest: Manifest = JSON.parse(text)
    const isWhole =
      manifest.format === FORMAT &&
      Number.isInteger(manifest.formatVersion) &&
      Number.isInteger(manifest.schema) &&
      Number.isInteger(manifest.attachments.files) &&
      Object.values(manifest.files).every(({ bytes, sha256 }) => Number.isInteger(bytes) && sha256.length > 0)
    return isWhole ? manifest : undefined
  } catch {
    return undefined
  }
}

/** Whether a newer program made the backup. */
export function isNewerFormat({ formatVersion }: Manifest): boolean {
  return formatVersion > FORMAT_VERSION
}
