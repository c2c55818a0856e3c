import { t } from 'elysia'
import { oneOf } from '../requests/schemas.ts'
import { API_ERROR_CODES, FIELD_ERROR_CODES } from './error-codes.ts'

const errorCode = oneOf(
  API_ERROR_CODES,
  'For programs. Codes don’t change; new ones can be added. See [Errors](/docs/errors).',
  'ErrorCode',
)
const fieldErrorCode = oneOf(FIELD_ERROR_CODES, 'What is wrong with the field.', 'FieldErrorCode')

/** Every error of the API (RFC 9457). */
export const problem = t.Object(
  {
    type: t.String({ examples: ['about:blank'] }),
    title: t.String({ description: 'The status in words.', examples: ['Bad Request'] }),
    status: t.Integer({ examples: [400] }),
    detail: t.String({
      description: 'What happened and what to do.',
      examples: ['/subject: This field is required.'],
    }),
    code: errorCode,
    requestId: t.String({ examples: ['req_01jq8z5w8wf6r9f5v0h3q1x2yz'] }),
    id: t.Optional(
      t.String({
        description:
          'Of the ticket or customer that has the external id or the address. Only with `external_id_taken` and `email_taken`.',
        examples: ['tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'],
      }),
    ),
    errors: t.Optional(
      t.Array(
        t.Object(
          {
            pointer: t.Optional(
              t.String({ description: 'JSON pointer into the body.', examples: ['/subject'] }),
            ),
            parameter: t.Optional(t.String({ description: 'Query parameter or header.' })),
            code: fieldErrorCode,
            detail: t.String({ examples: ['This field is required.'] }),
          },
          { $id: 'FieldError' },
        ),
        { description: 'Every problem with the request.' },
      ),
    ),
  },
  {
    $id: 'Problem',
    description: 'RFC 9457.',
    examples: [
      {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        detail: '/subject: This field is required.',
        code: 'invalid_request',
        requestId: 'req_01jq8z5w8wf6r9f5v0h3q1x2yz',
        errors: [{ pointer: '/subject', code: 'required', detail: 'This field is required.' }],
      },
    ],
  },
)
