import { Type } from '@sinclair/typebox'

/** The `:id` in a path. Any text is accepted: a malformed id is treated like an unknown one. */
export const byId = Type.Object({ id: Type.String() })
