import type { TSchema } from '@sinclair/typebox'
import type { Schema } from './schemas.ts'

/** What a document says beside what the routes themselves declare. Descriptions are CommonMark. */
export interface ApiDescription {
  title: string
  version: string
  description: string
  /** Routes below it are described, all others are left out; it is also the server address. */
  prefix: `/${string}`
  /** Origin of this installation, for example `https://help.example.com`; without it the address is relative. */
  origin?: string
  tags: { name: string; description: string }[]
  /** Schemes by name; any one of them opens any operation that does not say otherwise in `detail.security`. */
  securitySchemes: Record<string, SecurityScheme>
  /** Headers of every answer, with their meaning as the schema's description. */
  answerHeaders: Record<string, TSchema>
  /** Body of every answer from 400 up (RFC 9457). */
  problem: TSchema
  /** Answers any operation can give, by status, each with its meaning. */
  problems: Record<number, Answer>
  webhooks: Record<string, Webhook>
  /** What the service makes of a receiver's answers, by status (`2XX`, `default`). */
  webhookAnswers: Record<string, string>
}

export interface Answer {
  description: string
  headers?: Record<string, TSchema>
}

export interface SecurityScheme {
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
}

export interface Content {
  [mediaType: string]: { schema: Schema }
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

/** An OpenAPI 3.1 document, as far as this service writes one. */
export interface OpenApiDocument {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string }
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

/** One event as a receiver sees it. Descriptions are CommonMark. */
export interface Webhook {
  summary: string
  description: string
  /** The JSON body that is sent. */
  schema: TSchema
  /** The headers that are sent, with their meaning as the schema's description. */
  headers: Record<string, TSchema>
}
