import type { StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server'
import type { TSchema } from '@sinclair/typebox'
import type { Tool } from './tool.ts'

/** What lists say of a tool. */
export function listingOf({ title, description, input, output, effect }: Tool) {
  const annotations: ToolAnnotations = {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'sends',
    idempotentHint: effect === 'reads' || effect === 'changes',
    openWorldHint: effect === 'sends',
  }
  return { title, description, annotations, inputSchema: published(input), outputSchema: published(output) }
}

/** A schema as clients get it. Tools check their arguments themselves, so that errors have a code and say what to do. */
function published(schema: TSchema): StandardSchemaWithJSON {
  const plain = JSON.parse(JSON.stringify(schema), (_, value) => plainSchema(value))
  const standard = { version: 1 as const, vendor: 'typebox', validate: (value: unknown) => ({ value }) }
  return { '~standard': { ...standard, jsonSchema: { input: () => plain, output: () => plain } } }
}

/** Words to choose from are an `enum`, which every model understands, and what only the API description needs is left out. */
function plainSchema(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { $id: _id, base: _base, examples: _examples, descriptionHere, ...schema }: PublicSchema = value
  if (descriptionHere !== undefined) schema.description = descriptionHere
  const words = schema.anyOf?.map((branch) => branch.const)
  if (!words?.every((word) => typeof word === 'string')) return schema
  const { anyOf: _, ...others } = schema
  return { type: 'string', enum: words, ...others }
}

/** A schema with what the API description adds to it. */
interface PublicSchema {
  $id?: string
  base?: unknown
  examples?: unknown
  description?: string
  descriptionHere?: string
  anyOf?: { const?: unknown }[]
}
