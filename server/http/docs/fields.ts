import type { Header, Operation, Parameter } from '../openapi/document.ts'
import type { Schema } from '../openapi/schemas.ts'
import { type Html, html, prose } from './html.ts'

export interface Field {
  /** The path to it, for example `customer.email` or `data[].id`. */
  path: string
  isRequired: boolean
  schema: Schema
}

/** Every field of a body in one flat list, the fields of objects and of lists of objects following their owner. */
export function listFields(schema: Schema, prefix = ''): Field[] {
  const parts = schema.allOf ?? schema.anyOf
  if (parts) return parts.flatMap((part) => listFields(part, prefix))
  if (schema.items) return listFields(schema.items, prefix && `${prefix.slice(0, -1)}[].`)
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { path: prefix + name, isRequired: schema.required?.includes(name) ?? false, schema: property },
    ...listFields(property, `${prefix}${name}.`),
  ])
}

/** The parameters of an operation in one place, such as its query. */
export function parameterFields({ parameters = [] }: Operation, place: Parameter['in']): Field[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required, description, schema }) => ({
      path: name,
      isRequired: required,
      schema: description ? { ...schema, description } : schema,
    }))
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

/** Fields the reader has to send: says which are required. */
export function renderInput(fields: Field[]): Html {
  return renderFields(fields, ({ isRequired }) => isRequired && html` <span class="required">required</span>`)
}

/** Fields the reader is sent: says which can be absent. */
export function renderOutput(fields: Field[]): Html {
  return renderFields(
    fields,
    ({ isRequired }) => !isRequired && html` <span class="type">can be absent</span>`,
  )
}

type Mark = (field: Field) => Html | false

function renderFields(fields: Field[], mark: Mark): Html {
  return html`<ul class="fields">${fields.map((field) => renderField(field, mark(field)))}</ul>`
}

function renderField({ path, schema: shape }: Field, mark: Html | false): Html {
  const words = allowedWords(shape)
  const cut = path.lastIndexOf('.') + 1
  return html`<li>
<p class="field"><code><span class="owner">${path.slice(0, cut)}</span>${path.slice(cut)}</code>
<span class="type">${typeWords(shape)}</span>${mark}</p>
${prose(shape.description)}${words.length > 0 && html`<p class="values">${words.map((word) => html`<code>${word}</code> `)}</p>`}
${limits(shape).length > 0 && html`<p class="limits">${limits(shape).join(' · ')}</p>`}
</li>`
}

/** The only values that a field has. */
export function allowedWords(shape: Schema): string[] {
  const values = Array.isArray(shape.enum) ? shape.enum : shape.const === undefined ? [] : [shape.const]
  return values.map(literal)
}

/** A type in plain words: `list of string`, `Ticket or null`. */
export function typeWords(shape: Schema): string {
  if (shape.anyOf) return shape.anyOf.map(typeWords).join(' or ')
  const types = [shape.type ?? (shape.properties || shape.allOf ? 'object' : 'any value')].flat()
  const words = types.map((type) => {
    if (type === 'array' && shape.items) return `list of ${typeWords(shape.items)}`
    return type === 'string' && typeof shape.format === 'string' ? shape.format : type
  })
  return words.join(' or ')
}

export function limits(shape: Schema): string[] {
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
