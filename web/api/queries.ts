import { createQueryClient } from './api.ts'

/** What the page knows of the server. Components ask for it by `useQueryClient`; actions, which are none, take it here. */
export const queries = createQueryClient()
