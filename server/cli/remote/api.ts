import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { UsageError } from '../../errors.ts'
import { collect } from '../option-values.ts'
import { addUrl, connect, requireSuccess } from './connect.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Their fields are parameters of the query. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE']
const FIELDS_HELP = `
A field is name=text, or name:=JSON for another type. With GET, HEAD, and DELETE, fields are query parameters. Otherwise,
they are the JSON body; a dot is a field inside another one.

  bellhop api GET /tickets status=open per_page=5
  bellhop api POST /tickets subject=Hello customer.email=ana@example.com message=Hi tags:='["vip"]'
  bellhop api POST '/attachments?name=invoice.pdf' -d @invoice.pdf -H 'Content-Type: application/pdf'`

interface Options {
  url?: string
  data?: string
  header?: string[]
}

/** `bellhop api`: one request to `/v1`. */
export function addApi(program: Command): void {
  const command = program
    .command('api <method> <path> [fields...]')
    .description('call the API with BELLHOP_KEY; prints the body of the answer alone, also of a refusal')
    .option('-d, --data <body>', 'the body; @FILE reads a file, and - standard input')
    .option('-H, --header <header>', 'a header such as "If-Match: …"; repeatable', collect)
    .addHelpText('after', FIELDS_HELP)
    .action(call)
  addUrl(command)
}

async function call(method: string, path: string, fields: string[], options: Options): Promise<void> {
  const verb = method.toUpperCase()
  if (!METHODS.includes(verb)) throw new UsageError(`"${method}" isn't one of ${METHODS.join(', ')}.`)
  const { base, ask } = connect(options)
  const values = fields.map(fieldOf)
  if (options.data !== undefined && values.length > 0) throw new UsageError('Use either fields or --data.')
  const isQuery = WITHOUT_BODY.includes(verb)
  const body = bodyOf(options.data, isQuery ? [] : values)
  const response = await ask(verb, pathOf(path, isQuery ? values : []), {
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headersOf(options) },
    ...(body !== undefined && { body }),
  })
  await printBody(response.clone())
  await requireSuccess(response, base)
}

interface Field {
  name: string
  value: unknown
}

function fieldOf(field: string): Field {
  const [, name, colon, text = ''] = /^([^=:]+)(:?)=(.*)$/s.exec(field) ?? []
  if (name === undefined) throw new UsageError(`"${field}" isn't a field such as subject=Hello.`)
  if (!colon) return { name, value: text }
  try {
    return { name, value: JSON.parse(text) }
  } catch {
    throw new UsageError(`The value of the field ${name} isn't JSON.`)
  }
}

/** `/tickets` and `/v1/tickets` are the same. */
function pathOf(path: string, parameters: Field[]): string {
  const [place = '', query = ''] = path.replace(/^\/?(v1\/)?/, '/').split(/\?(.*)/s)
  const all = new URLSearchParams(query)
  for (const { name, value } of parameters) all.append(name, String(value))
  return all.size === 0 ? place : `${place}?${all}`
}

function bodyOf(data: string | undefined, fields: Field[]): string | Uint8Array<ArrayBuffer> | undefined {
  if (data !== undefined) return data === '-' || data.startsWith('@') ? bytesOf(data) : data
  if (fields.length === 0) return undefined
  const body: Record<string, unknown> = {}
  for (const { name, value } of fields) {
    const parts = name.split('.')
    let inside: Record<string, unknown> = body
    for (const part of parts.slice(0, -1)) {
      const next: Record<string, unknown> = Object.assign({}, inside[part])
      inside[part] = next
      inside = next
    }
    inside[parts.at(-1) ?? ''] = value
  }
  return JSON.stringify(body)
}

function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  const file = data === '-' ? '/dev/stdin' : data.slice(1)
  try {
    return new Uint8Array(readFileSync(file))
  } catch {
    throw new UsageError(`Can't read the file "${file}".`)
  }
}

function headersOf({ header = [] }: Options): Record<string, string> {
  const pairs = header.map((one) => {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(one) ?? []
    if (name === undefined) throw new UsageError(`"${one}" isn't a header such as "If-Match: …".`)
    return [name.toLowerCase(), value]
  })
  return Object.fromEntries(pairs)
}

/** A file is printed as it is. */
async function printBody(response: Response): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer())
  process.stdout.write(body)
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  if (isJson && body.length > 0) process.stdout.write('\n')
}
