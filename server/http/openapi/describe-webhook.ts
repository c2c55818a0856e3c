import type { ApiDescription, Operation, Parameter, Webhook } from './document.ts'
import { describeHeaders, JSON_TYPE } from './responses.ts'
import type { SchemaCollection } from './schemas.ts'

const WEBHOOK_TAG = 'Webhooks'

/** Describes an event as the request that a receiver gets. */
export function describeWebhook(
  event: string,
  webhook: Webhook,
  api: ApiDescription,
  collection: SchemaCollection,
): { post: Operation } {
  const headers = Object.entries(describeHeaders(webhook.headers, collection))
  const parameters = headers.map(
    ([name, header]): Parameter => ({ name, in: 'header', required: true, schema: {}, ...header }),
  )
  const responses = Object.entries(api.webhookResponses).map(([status, description]) => [
    status,
    { description },
  ])
  const words = event.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return {
    post: {
      operationId: `on${words.join('')}`,
      summary: webhook.summary,
      description: webhook.description,
      tags: [WEBHOOK_TAG],
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: collection.describe(webhook.schema) } },
      },
      responses: Object.fromEntries(responses),
    },
  }
}
