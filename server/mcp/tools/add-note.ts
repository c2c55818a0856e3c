import { Type } from '@sinclair/typebox'
import { idOfCaller } from '../../api-keys/require-api-key.ts'
import { isoTime } from '../../dates.ts'
import { text } from '../../text/text.ts'
import { putNote } from '../../threads/notes.ts'
import { MAX_MESSAGE_LENGTH } from '../../tickets/messages.ts'
import { ticketId, time } from '../schemas.ts'
import { defineTool } from '../tool.ts'

export const addNote = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description: 'Adds an internal note to a ticket. Only the team sees it.',
  scope: 'notes:write',
  input: Type.Object(
    {
      ticket: ticketId,
      text: text({ maxLength: MAX_MESSAGE_LENGTH, description: 'The note, in Markdown.' }),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ id: Type.String(), createdAt: time() }, { additionalProperties: false }),
  effect: 'adds',
  async run({ deps, caller }, { ticket, text }) {
    const { orgId, agentId = '', name: agentName } = caller
    const author = { agentId, agentName, uploader: idOfCaller(caller) }
    const written = { id: deps.newId('not'), ticketId: ticket, ...author, text, format: 'markdown' as const }
    const { note } = await putNote(deps, orgId, written)
    return { data: { id: note.id, createdAt: isoTime(note.createdAt) } }
  },
})
