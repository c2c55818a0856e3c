export { type Client, type ClientOptions, createClient, type Input, type Output } from './client.ts'
export { Problem } from './problem.ts'
export type { components, operations, paths } from './types.ts'
export { verify, type WebhookEvent, WrongSignature } from './verify.ts'
