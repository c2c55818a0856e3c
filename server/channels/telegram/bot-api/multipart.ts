import type { ApiRequest } from './bot-api-request.ts'

/** A file to upload. Its bytes are read while they are sent, and again for each attempt. */
export interface UploadedFile {
  /** Named in the parameters as `attach://FIELD`. */
  field: string
  name: string
  type: string
  /** Bytes. */
  size: number
  open(): AsyncIterable<Uint8Array>
}

/** The body of a request with files (RFC 7578). Parameters that aren't text are sent as JSON. */
export function multipartOf(params: object, files: UploadedFile[]): ApiRequest['body'] {
  const boundary = `bellhop-${crypto.randomUUID()}`
  const fields = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${text}\r\n`
    })
  const start = Buffer.from(fields.join(''))
  const parts = files.map((file) => ({ file, head: Buffer.from(headOf(boundary, file)) }))
  const lineEnd = Buffer.from('\r\n')
  const end = Buffer.from(`--${boundary}--\r\n`)
  const ofParts = parts.reduce((sum, { head, file }) => sum + head.length + file.size + lineEnd.length, 0)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: start.length + ofParts + end.length,
    async *chunks() {
      yield start
      for (const { head, file } of parts) {
        yield head
        yield* file.open()
        yield lineEnd
      }
      yield end
    },
  }
}

function headOf(boundary: string, { field, name, type }: UploadedFile): string {
  const disposition = `form-data; name="${quoted(field)}"; filename="${quoted(name)}"`
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, '')}\r\n\r\n`
}

/** As browsers do it: section 4.2 of RFC 7578 leaves it open. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
