import { type Caller, hasScope } from '../api-keys/require-api-key.ts'
import type { Tool } from './tool.ts'
import { addNote } from './tools/add-note.ts'
import { changeTicket } from './tools/change-ticket.ts'
import { openTicketTool } from './tools/create-ticket.ts'
import { getAttachment } from './tools/get-attachment.ts'
import { getCustomer } from './tools/get-customer.ts'
import { getWorkspace } from './tools/get-workspace.ts'
import { searchTickets } from './tools/search-tickets.ts'

/** In the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  searchTickets,
  getAttachment,
  getCustomer,
  getWorkspace,
  addNote,
  changeTicket,
  openTicketTool,
]

/** The tools that a caller can see and call. */
export function toolsOf(caller: Caller): Tool[] {
  return TOOLS.filter(({ scope }) => hasScope(caller, scope))
}
