import type { TSchema } from '@sinclair/typebox'
import type { Schema } from './schemas.ts'

/** What a document contains in addition to the routes. Descriptions are CommonMark. */
export interface ApiDescription {
  title: string
  version: string
  /** SPDX identifier. */
  license: string
  description: string
  /** Only routes below it are described. It is also the path of the server URL. */
  prefix: `/${string}`
  tags: { name: string; description: string }[]
  /** Schemes by name. Any one of them is enough, unless an operation sets `detail.security`. */
  securitySchemes: Record<string, SecurityScheme>
  /** Headers of every response. The schema's description explains the header. */
  responseHeaders: Record<string, TSchema>
  /** Body of every response with a status of 400 or higher (RFC 9457). */
  problem: TSchema
  /** Problems common to all operations, by status. */
  problems: Record<number, ProblemDescription>
  webhooks: Record<string, Webhook>
  /** What a receiver's response means, by status (`2XX`, `default`). */
  webhookResponses: Record<string, string>
}

export interface ProblemDescription {
  description: string
  headers?: Record<string, TSchema>
}

interface SecurityScheme {
  type: 'http' | 'apiKey'
  scheme?: string
  in?: 'header' | 'cookie'
  name?: string
  bearerFormat?: string
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

/** An event as a receiver gets it. Descriptions are CommonMark. */
export interface Webhook {
  summary: string
  description: string
  /** The JSON body that is sent. */
  schema: TSchema
  /** The headers that are sent. The schema's description explains the header. */
  headers: Record<string, TSchema>
}
