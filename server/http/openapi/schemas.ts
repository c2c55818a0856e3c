import type { TSchema } from '@sinclair/typebox'

/** A schema as a route declares it: a schema, or the name of one of the app's models. */
export type Declared = TSchema | string

/** A JSON Schema, dialect 2020-12, which OpenAPI 3.1 uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  const?: unknown
  enum?: unknown[]
  [keyword: string]: unknown
}

export interface SchemaCollection {
  /** The app's named schemas. */
  models: Record<string, TSchema>
  /** The content of `components.schemas` after everything has been described. */
  schemas: Record<string, Schema>
  /** Throws an Error when a name is unknown or has two shapes, or a type doesn't exist in JSON. */
  describe(declared: Declared): Schema
}

const COMPONENTS = '#/components/schemas/'
const JSON_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const HOLDS_ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames']
const HOLDS_LIST = ['anyOf', 'allOf', 'oneOf']
const HOLDS_MAP = ['properties', 'patternProperties']
/**
 * `error`, `nullable` and `noValidate` are specific to Elysia. `$id` would change the meaning of references below it.
 * `base` and `descriptionHere` are ours: the schema whose fields an object has too, and words for one use of a schema.
 */
const NOT_JSON_SCHEMA = ['$id', '$ref', 'error', 'nullable', 'noValidate', 'base', 'descriptionHere']
/** In a query, Elysia accepts these as text in addition to the real type. Callers only need the real type. */
const COERCED_FORMATS = ['integer', 'numeric', 'boolean', 'ObjectString', 'ArrayString']

/**
 * Converts TypeBox schemas to JSON Schemas. Those with a name (`$id`, or a model) are moved to components. `responses` are
 * what routes respond with: when the first request of a route compiles its schemas, Elysia writes `additionalProperties:
 * false` into them, which is left out, so that the description is the same before and after.
 */
export function collectSchemas(
  models: Record<string, TSchema>,
  responses: ReadonlySet<unknown>,
): SchemaCollection {
  const isStrict = (node: Record<string, unknown>) =>
    node.additionalProperties === false && !responses.has(node)

  const schemas: Record<string, Schema> = {}
  const underway = new Set<string>()

  function describeNode(node: unknown): Schema {
    if (typeof node === 'string') return referByName(node)
    if (!isRecord(node)) throw new Error(`Not a schema: ${String(node)}`)
    const schema = describeShape(node)
    return typeof node.descriptionHere === 'string'
      ? { ...schema, description: node.descriptionHere }
      : schema
  }

  function describeShape(node: Record<string, unknown>): Schema {
    if (typeof node.$id === 'string') return refer(node.$id, node)
    if (typeof node.$ref === 'string') return referByName(node.$ref)
    return describeObject(node)
  }

  /** The fields that an object shares with its `base` stay there: clients have one type for both. */
  function describeObject(node: Record<string, unknown>): Schema {
    const { base, properties, required, type, ...around } = node
    if (!isRecord(base) || !isRecord(base.properties) || !isRecord(properties)) return describeKeywords(node)
    // It would refuse the fields of others.
    if (isStrict(base)) return describeKeywords(node)
    const inherited = base.properties
    const own = Object.entries(properties).filter(([name, schema]) => inherited[name] !== schema)
    const names = Array.isArray(required) ? required.filter((name) => own.some(([key]) => key === name)) : []
    const fields = { type, properties: Object.fromEntries(own), ...(names.length > 0 && { required: names }) }
    const { additionalProperties: _, ...words } = around
    return {
      allOf: [describeNode(base), describeKeywords(fields)],
      ...describeKeywords(words),
      // `additionalProperties` doesn't know the fields of `allOf`, and would refuse all of them.
      ...(isStrict(node) && { unevaluatedProperties: false }),
    }
  }

  function referByName(name: string): Schema {
    const model = models[nameIn(name)]
    return refer(typeof model?.$id === 'string' ? model.$id : name, model)
  }

  function refer(id: string, node: unknown): Schema {
    const name = nameIn(id)
    const reference = { $ref: COMPONENTS + name }
    if (underway.has(name)) return reference
    if (!isRecord(node)) {
      if (schemas[name]) return reference
      throw new Error(`No schema is named ${name}`)
    }
    underway.add(name)
    const described = describeObject(node)
    underway.delete(name)
    if (schemas[name] && !Bun.deepEquals(schemas[name], described)) {
      throw new Error(`Two different schemas are named ${name}`)
    }
    schemas[name] = described
    return reference
  }

  function describeKeywords(node: Record<string, unknown>): Schema {
    const schema: Schema = {}
    for (const [keyword, value] of Object.entries(node)) {
      if (value === undefined || typeof value === 'function' || NOT_JSON_SCHEMA.includes(keyword)) continue
      if (keyword === 'additionalProperties' && value === false && !isStrict(node)) continue
      if (HOLDS_ONE.includes(keyword)) schema[keyword] = isRecord(value) ? describeNode(value) : value
      else if (HOLDS_LIST.includes(keyword) && Array.isArray(value)) schema[keyword] = value.map(describeNode)
      else if (HOLDS_MAP.includes(keyword) && isRecord(value))
        schema[keyword] = mapValues(value, describeNode)
      else schema[keyword] = value
    }
    const simple = simplifyUnion(schema)
    for (const type of [simple.type ?? []].flat()) {
      if (!JSON_TYPES.includes(type)) throw new Error(`The type ${type} cannot be described in JSON Schema`)
    }
    return simple
  }

  return { models, schemas, describe: describeNode }
}

/** Turns a union of literals into an `enum`, a union with null into a second `type`, and a union of one into itself. */
function simplifyUnion(schema: Schema): Schema {
  if (!schema.anyOf) return schema
  const { anyOf, ...around } = schema
  const branches = anyOf.filter((branch) => !isCoercedText(branch))
  const values = branches.filter((branch) => branch.type !== 'null')
  const [first] = values
  if (!first) return schema
  const merged = values.length === 1 ? first : asEnum(values)
  if (!merged) return { ...around, anyOf: branches }
  if (values.length === branches.length) return { ...merged, ...around }
  if (typeof merged.type !== 'string' || merged.const !== undefined) return { ...around, anyOf: branches }
  const withNull: Schema = { ...merged, ...around, type: [merged.type, 'null'] }
  return merged.enum ? { ...withNull, enum: [...merged.enum, null] } : withNull
}

function asEnum(branches: Schema[]): Schema | undefined {
  const type = branches[0]?.type
  const areWords = branches.every((branch) => branch.const !== undefined && branch.type === type)
  return areWords ? { type, enum: branches.map((branch) => branch.const) } : undefined
}

function isCoercedText(branch: Schema): boolean {
  return branch.type === 'string' && COERCED_FORMATS.includes(String(branch.format))
}

function nameIn(id: string): string {
  return id.startsWith(COMPONENTS) ? id.slice(COMPONENTS.length) : id
}

function mapValues(record: Record<string, unknown>, map: (value: unknown) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
