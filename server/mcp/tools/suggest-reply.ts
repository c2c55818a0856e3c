import { Type } from '@sinclair/typebox'
import { isoTime } from '../../dates.ts'
import { newSuggestion } from '../../suggestions/schemas.ts'
import { addSuggestion } from '../../suggestions/suggestions.ts'
import { suggestionAuthorOf } from '../../suggestions/v1.ts'
import { text } from '../../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../../tickets/messages.ts'
import { ticketId, time } from '../schemas.ts'
import { defineTool } from '../tool.ts'

const { sources, confidence } = newSuggestion.properties

export const suggestReply = defineTool({
  name: 'suggest_reply',
  title: 'Suggest a reply',
  description:
    'Shows an agent an answer above the field where they write. Nothing is sent: the agent takes it, changes it, or dismisses it. It replaces what you suggested for the ticket before.',
  scope: 'suggestions:write',
  input: Type.Object(
    {
      ticket: ticketId,
      answers: Type.String({
        maxLength: 64,
        description:
          'The customer’s message that it answers: the id in newestMessage of get_ticket. If anyone wrote since, it’s refused.',
      }),
      text: text({
        maxLength: MAX_MESSAGE_LENGTH,
        description:
          'The answer to the customer: Markdown with bold, italic, links, lists, quotes, and code.',
      }),
      sources,
      confidence,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ id: Type.String(), createdAt: time() }, { additionalProperties: false }),
  effect: 'adds',
  limit: 'suggest_reply',
  async run({ deps, caller }, { ticket: ticketId, ...written }) {
    const author = suggestionAuthorOf(caller)
    const input = { ticketId, author, format: 'markdown' as const, ...written }
    const made = await addSuggestion(deps, caller.orgId, input)
    return { data: { id: made.id, createdAt: isoTime(made.createdAt) } }
  },
})
