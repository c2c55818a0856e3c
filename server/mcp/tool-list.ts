import { type Caller, hasScope } from '../api-keys/require-api-key.ts'
import { listingOf } from './listing.ts'
import type { Tool } from './tool.ts'
import { addNote } from './tools/add-note.ts'
import { changeTicket } from './tools/change-ticket.ts'
import { createTicketTool } from './tools/create-ticket.ts'
import { getAttachment } from './tools/get-attachment.ts'
import { getCustomer } from './tools/get-customer.ts'
import { getTicket } from './tools/get-ticket.ts'
import { getWorkspace } from './tools/get-workspace.ts'
import { searchTickets } from './tools/search-tickets.ts'
import { sendReply } from './tools/send-reply.ts'
import { suggestReply } from './tools/suggest-reply.ts'

/** With what lists say of it. */
type ListedTool = Tool & { listing: ReturnType<typeof listingOf> }

/** In the order in which they are listed. */
export const TOOLS: readonly ListedTool[] = [
  searchTickets,
  getTicket,
  getAttachment,
  getCustomer,
  getWorkspace,
  suggestReply,
  addNote,
  changeTicket,
  createTicketTool,
  sendReply,
].map((tool) => ({ ...tool, listing: listingOf(tool) }))

/** The tools that a caller can see and call. */
export function toolsOf(caller: Caller): ListedTool[] {
  return TOOLS.filter(({ scope }) => hasScope(caller, scope))
}
