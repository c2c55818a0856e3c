export {
  type Client,
  type ClientOptions,
  createClient,
  type EventOptions,
  type EventPage,
  type Input,
  type Output,
} from './client.ts'
export { type Change, type MirrorStore, mirror } from './mirror.ts'
export { Problem } from './problem.ts'
export type { components, operations, paths } from './types.ts'
export { verify, type WebhookEvent, WrongSignature } from './verify.ts'
