import type { Schema } from './schemas.ts'

interface SecurityScheme {
  type: string
  scheme: string
  description: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}

interface Content {
  [mediaType: string]: { schema: Schema; example?: unknown }
}

export interface Header {
  $ref?: string
  description?: string
  schema?: Schema
}

export interface Response {
  $ref?: string
  description?: string
  headers?: Record<string, Header>
  content?: Content
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  security?: Record<string, string[]>[]
  /** The scope that a key needs. */
  'x-scope'?: string
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
}

/** The parts of an OpenAPI 3.1 document that this service writes. */
export interface OpenApiDocument {
  openapi: '3.1.1'
  info: {
    title: string
    version: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  security: Record<string, string[]>[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, Schema>
    headers: Record<string, Header>
    responses: Record<string, Response>
    securitySchemes: Record<string, SecurityScheme>
  }
}
