import type { Schema } from '../openapi/schemas.ts'

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-01-15T09:30:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
}

/** An example value: the schema's own if it has one (`examples`, `const`, `enum`, `default`), else one of its type. */
export function exampleOf(shape: Schema): unknown {
  const example = ownExample(shape)
  if (example !== undefined) return example
  if (shape.anyOf) return exampleOf(shape.anyOf.find((branch) => branch.type !== 'null') ?? {})
  if (shape.allOf) return Object.assign({}, ...shape.allOf.map(exampleOf))
  if (shape.properties) {
    const entries = Object.entries(shape.properties)
    return Object.fromEntries(entries.map(([key, property]) => [key, exampleOf(property)]))
  }
  const type = [shape.type ?? 'object'].flat().find((one) => one !== 'null')
  if (type === 'array') return shape.items ? [exampleOf(shape.items)] : []
  if (type === 'integer' || type === 'number') return shape.minimum ?? 1
  if (type === 'boolean') return true
  return type === 'string' ? (BY_FORMAT[String(shape.format)] ?? 'text') : {}
}

/** The example that the schema has itself. */
export function ownExample(shape: Schema): unknown {
  if (Array.isArray(shape.examples) && shape.examples.length > 0) return shape.examples[0]
  if (shape.const !== undefined) return shape.const
  return shape.enum?.[0] ?? shape.default
}
