import { t } from 'elysia'
import { CHANNELS } from '../../channels/kinds.ts'
import { CHANGED_FIELDS } from '../../database/tables/webhooks.ts'
import { oneOf } from '../../requests/schemas.ts'
import { text } from '../../text/text.ts'

const MAX_VALUES = 50

const channel = oneOf(CHANNELS, 'How the customer got in touch.', 'Channel')
const changedField = oneOf(CHANGED_FIELDS, 'A field of a ticket.', 'ChangedField')

/** The filters of an endpoint as it has them: each empty if it isn't set. */
export const chosenFilters = {
  channels: t.Array(channel, { description: 'Only events of tickets of these channels. Empty: all.' }),
  tags: t.Array(t.String(), {
    description: 'Only events of tickets with one of these tags. Empty: all.',
    examples: [['vip']],
  }),
  changes: t.Array(changedField, {
    description: 'Of `ticket.updated`, only those that change one of these fields. Empty: all.',
  }),
}

/** The same in a request. */
export const endpointFilters = {
  channels: t.Optional(
    t.Array(channel, {
      maxItems: MAX_VALUES,
      description: 'Only events of tickets of these channels. `[]` removes the filter.',
      examples: [['email', 'widget']],
    }),
  ),
  tags: t.Optional(
    t.Array(text({ maxLength: 64 }), {
      maxItems: MAX_VALUES,
      description:
        'Only events of tickets that have one of these tags, or had it before this change. `[]` removes the filter.',
      examples: [['vip']],
    }),
  ),
  changes: t.Optional(
    t.Array(changedField, {
      maxItems: MAX_VALUES,
      description:
        'Of `ticket.updated`, only those that change one of these fields. Other events pass. `[]` removes the filter.',
      examples: [['status']],
    }),
  ),
}
