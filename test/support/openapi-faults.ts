import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020'
import type { OpenApiDocument } from '../../server/http/openapi/document.ts'

/** Validates a document against the OpenAPI 3.1 schema, and every schema in it against JSON Schema 2020-12. */
export async function openApiFaults(document: OpenApiDocument): Promise<string[]> {
  const { valid, errors } = await new Validator().validate(structuredClone({ ...document }))
  const ajv = new Ajv2020({ strict: false })
  const broken = schemasIn(document).filter((schema) => ajv.validateSchema(schema) !== true)
  return [...(valid ? [] : [JSON.stringify(errors)]), ...broken.map((schema) => JSON.stringify(schema))]
}

function schemasIn(node: unknown, key = ''): object[] {
  if (typeof node !== 'object' || node === null) return []
  if (key === 'schema') return [node]
  const below = Object.entries(node).flatMap(([name, value]) => schemasIn(value, name))
  return key === 'schemas' ? [...Object.values(node), ...below] : below
}
