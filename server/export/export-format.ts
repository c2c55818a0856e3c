import { MIGRATIONS } from '../database/migrations.ts'
import { VERSION } from '../version.ts'

const FORMAT = 'bellhop-export'
const FORMAT_VERSION = 1
/** Bytes of a file in one line. A multiple of three, so that only the last line of a file has padding. */
export const CHUNK_BYTES = 192 * 1024

/** The first line. The same for every export of an organization by the same version. */
export interface ExportHeader {
  format: string
  formatVersion: number
  /** Number of migrations of the database: later ones may have added fields. */
  schema: number
  /** Version of the program that made it. */
  bellhop: string
  organization: { id: string; name: string }
}

/** The last line, so that a file that was cut off has none. */
export interface ExportEnd {
  record: 'end'
  /** Lines before this one. */
  lines: number
  /** Of all bytes before this line, in hexadecimal. */
  sha256: string
}

export function headerOf({ id, name }: { id: string; name: string }): ExportHeader {
  return {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    schema: MIGRATIONS.sqlite.length,
    bellhop: VERSION,
    organization: { id, name },
  }
}

/** Undefined when it isn't the header of an export. */
export function parseHeader(line: string): ExportHeader | undefined {
  try {
    const header: ExportHeader = JSON.parse(line)
    const { format, formatVersion, schema, bellhop, organization } = header
    const isWhole =
      format === FORMAT &&
      Number.isInteger(formatVersion) &&
      Number.isInteger(schema) &&
      [bellhop, organization.id, organization.name].every((text) => typeof text === 'string')
    return isWhole ? header : undefined
  } catch {
    return undefined
  }
}

/** Whether a newer program made the export. */
export function isNewer({ formatVersion, schema }: ExportHeader): boolean {
  return formatVersion > FORMAT_VERSION || schema > MIGRATIONS.sqlite.length
}
