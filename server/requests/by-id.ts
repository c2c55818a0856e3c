import { Type } from '@sinclair/typebox'

/** The `:id` of an address. It may be anything: what could not be an id is treated like one that does not exist. */
export const byId = Type.Object({ id: Type.String() })
