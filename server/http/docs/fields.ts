import type { Header, OpenApiDocument } from '../openapi/document.ts'
import type { Schema } from '../openapi/schemas.ts'
import { type Html, html, prose } from './html.ts'

interface Field {
  /** The path to it, for example `customer.email` or `data[].id`. */
  path: string
  isRequired: boolean
  schema: Schema
}

/** Every field of a body in one flat list, the fields of objects and of lists of objects following their owner. */
export function listFields(schema: Schema, document: OpenApiDocument): Field[] {
  return fieldsOf(schema, document, '', [])
}

/** The headers described here. Those of every response are described once for all. */
export function headerFields(headers: Record<string, Header>): Field[] {
  return Object.entries(headers)
    .filter(([, header]) => header.$ref === undefined)
    .map(([path, { schema, description }]) => ({
      path,
      isRequired: true,
      schema: { ...schema, description },
    }))
}

/** A schema, with the one that it refers to filled in. */
export function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const name = schema.$ref?.split('/').at(-1)
  const named = name === undefined ? undefined : document.components.schemas[name]
  return named ? { ...named, ...schema, $ref: undefined } : schema
}

/** Fields the reader has to send: says which are required. */
export function renderInput(fields: Field[], document: OpenApiDocument): Html {
  return renderFields(
    fields,
    document,
    ({ isRequired }) => isRequired && html` <span class="required">required</span>`,
  )
}

/** Fields the reader is sent: says which can be absent. */
export function renderOutput(fields: Field[], document: OpenApiDocument): Html {
  return renderFields(
    fields,
    document,
    ({ isRequired }) => !isRequired && html` <span class="type">can be absent</span>`,
  )
}

type Mark = (field: Field) => Html | false

function renderFields(fields: Field[], document: OpenApiDocument, mark: Mark): Html {
  return html`<ul class="fields">${fields.map((field) => renderField(field, document, mark(field)))}</ul>`
}

function fieldsOf(schema: Schema, document: OpenApiDocument, prefix: string, within: string[]): Field[] {
  const name = schema.$ref ?? ''
  if (name && within.includes(name)) return []
  const path = [...within, name]
  const shape = resolve(schema, document)
  const parts = shape.allOf ?? shape.anyOf
  if (parts) return parts.flatMap((part) => fieldsOf(part, document, prefix, path))
  if (shape.items) return fieldsOf(shape.items, document, prefix && `${prefix.slice(0, -1)}[].`, path)
  return Object.entries(shape.properties ?? {}).flatMap(([key, property]) => [
    { path: prefix + key, isRequired: shape.required?.includes(key) ?? false, schema: property },
    ...fieldsOf(property, document, `${prefix}${key}.`, path),
  ])
}

function renderField({ path, schema }: Field, document: OpenApiDocument, mark: Html | false): Html {
  const shape = resolve(schema, document)
  const words = Array.isArray(shape.enum) ? shape.enum : shape.const === undefined ? [] : [shape.const]
  const cut = path.lastIndexOf('.') + 1
  return html`<li>
<p class="field"><code><span class="owner">${path.slice(0, cut)}</span>${path.slice(cut)}</code>
<span class="type">${typeWords(shape, document)}</span>${mark}</p>
${prose(shape.description)}${words.length > 0 && html`<p class="values">${words.map((word) => html`<code>${literal(word)}</code> `)}</p>`}
${limits(shape).length > 0 && html`<p class="limits">${limits(shape).join(' · ')}</p>`}
</li>`
}

/** A type in plain words: `list of string`, `Ticket or null`. */
function typeWords(schema: Schema, document: OpenApiDocument): string {
  const shape = resolve(schema, document)
  if (shape.anyOf) return shape.anyOf.map((branch) => typeWords(branch, document)).join(' or ')
  const types = [shape.type ?? (shape.properties || shape.allOf ? 'object' : 'any value')].flat()
  const words = types.map((type) => {
    if (type === 'array' && shape.items) return `list of ${typeWords(shape.items, document)}`
    return type === 'string' && typeof shape.format === 'string' ? shape.format : type
  })
  return words.join(' or ')
}

function limits(shape: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, uniqueItems, pattern } = shape
  return [
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'entries'),
    uniqueItems === true ? 'no duplicates' : '',
    typeof pattern === 'string' ? `matches ${pattern}` : '',
    shape.default === undefined ? '' : `default ${literal(shape.default)}`,
  ].filter((text) => text !== '')
}

function range(from: unknown, to: unknown, unit: string): string {
  if (typeof from === 'number' && typeof to === 'number')
    return `${from}–${to.toLocaleString('en')} ${unit}`.trim()
  if (typeof from === 'number') return `at least ${from} ${unit}`.trim()
  return typeof to === 'number' ? `at most ${to.toLocaleString('en')} ${unit}`.trim() : ''
}

function literal(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
