import { Elysia, t } from 'elysia'
import { hasScope, idOfCaller, type KeyGuard } from '../../api-keys/require-api-key.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { createIdempotency } from '../../idempotency/idempotency.ts'
import { admitUpload } from '../../requests/arriving-bodies.ts'
import { announcedBytes } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { answerHeaders, idempotent } from '../../tickets/v1.ts'
import { idempotency, idempotencyKey, replayed } from '../../tickets/v1-document.ts'
import { fileResponse, openAttachment } from '../download.ts'
import { attachmentId, uploadedAttachment, uploadQuery } from '../schemas.ts'
import { deleteUpload, receiveOnce, saveUpload } from '../uploads.ts'
import { viewUpload } from '../views.ts'

/** Uploading files, and reading them. The body of an upload is the file itself, and goes to disk as it arrives. */
export function attachmentRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  const noQuery = strictQuery()
  return new Elysia({ name: 'attachments/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .post(
      '/attachments',
      async ({ caller, query, request, server, set, status }) => {
        using _ = admitUpload({ caller, request, server, set })
        const { name, inline } = query
        const isInline = inline === 'true'
        const file = {
          uploader: idOfCaller(caller),
          name,
          isInline,
          body: request.body,
          announcedBytes: announcedBytes(request),
        }
        const answer = await receiveOnce(deps, caller.orgId, file, (upload) => {
          const sent = { name, isInline, sha256: upload.hash }
          return once(idempotent(caller, request, { path: '/v1/attachments', body: sent }), {
            change: (alsoSave) => saveUpload(deps, upload, alsoSave),
            asAnswer: (made: typeof upload) => ({ status: 201, body: viewUpload(made) }),
            shows: ({ id }) => id,
          })
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, answer.body)
      },
      {
        parse: 'none',
        transform: [
          guard.allow('messages:write', 'suggestions:write'),
          ({ request }: { request: Request }) => requireBareFile(request),
          strictQuery(uploadQuery),
        ],
        query: uploadQuery,
        response: { 201: uploadedAttachment },
        detail: uploadAttachment,
      },
    )
    .get(
      '/attachments/:id',
      async ({ caller, params, request }) => {
        const viewer = { id: idOfCaller(caller), seesNotes: hasScope(caller, 'notes:read') }
        return fileResponse(request, await openAttachment(deps, caller.orgId, { id: params.id, viewer }))
      },
      {
        transform: [guard.allow('tickets:read'), noQuery],
        params: attachmentId,
        detail: downloadAttachment,
      },
    )
    .delete(
      '/attachments/:id',
      async ({ caller, params, status }) => {
        await deleteUpload(deps, caller.orgId, { id: params.id, uploader: idOfCaller(caller) })
        return status(204, undefined)
      },
      {
        transform: [guard.allow('messages:write', 'suggestions:write'), noQuery],
        params: attachmentId,
        response: { 204: t.Undefined() },
        detail: deleteAttachment,
      },
    )
}

/** Throws 415 for a form: its parts would be stored as the file. */
function requireBareFile({ headers }: Request): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw unsupported('Send the file without Content-Encoding, not compressed.')
  }
  if (/^\s*multipart\//i.test(headers.get('content-type') ?? '')) {
    throw unsupported('Send the file itself as the body, not a multipart form. Its name goes into ?name=.')
  }
}

function unsupported(message: string): AppError {
  return new AppError(415, 'unsupported_media_type', message)
}

// What the API description says of each operation beyond its schemas.

const anyFile = { schema: { type: 'string' as const, format: 'binary' } }
/** The file's own type. Client generators skip a response that only has a range of types. */
const fileContent = { 'application/octet-stream': anyFile, '*/*': anyFile }
const noAttachment = {
  description:
    'There’s no attachment with this id in your organization, or its file is missing on the server.',
}
const header = (description: string) => ({ description, schema: { type: 'string' as const } })

const uploadAttachment = {
  operationId: 'uploadAttachment',
  summary: 'Upload a file',
  description:
    'Stores a file, so that you can send it with a message, a note, or a suggestion. The body is the file itself, with any `Content-Type` but `multipart/*`. Only the key that uploaded a file can send it. A file that isn’t sent within a day is deleted.',
  tags: ['Attachments'],
  security: [{ secretKey: ['messages:write'] }, { secretKey: ['suggestions:write'] }],
  parameters: [idempotencyKey],
  requestBody: { required: true, content: { 'application/octet-stream': anyFile } },
  responses: {
    201: { description: 'The file is on disk.', headers: { 'Idempotency-Replayed': replayed } },
    ...idempotency,
    400: { description: 'The file is empty or incomplete, or has no name.' },
    413: { description: 'The file is larger than 25 MB, or than the limit of the server.' },
    415: { description: 'The body has a `Content-Encoding`, or is a multipart form.' },
    507: { description: 'The server’s disk is full.' },
  },
}

const downloadAttachment = {
  operationId: 'downloadAttachment',
  summary: 'Download a file',
  description:
    'Returns the file of an attachment of a message, or of your own upload, and with the scope `notes:read` of a note. An attachment never changes, so you can keep it.',
  tags: ['Attachments'],
  security: [{ secretKey: ['tickets:read'] }],
  parameters: [
    {
      name: 'Range',
      in: 'header' as const,
      required: false,
      description: 'Part of the file, such as `bytes=0-1023`.',
      schema: { type: 'string' as const },
      example: 'bytes=0-1023',
    },
  ],
  responses: {
    200: {
      description: 'The file.',
      headers: {
        'Content-Disposition': header('The file name. PNG, JPEG, GIF, WebP, and AVIF images are `inline`.'),
        ETag: header('Identifies the content, for `If-None-Match` and `If-Range`.'),
      },
      content: fileContent,
    },
    206: { description: 'Part of the file.', content: fileContent },
    304: { description: 'You have the file already.' },
    404: noAttachment,
    416: { description: 'The range is outside of the file.' },
  },
}

const deleteAttachment = {
  operationId: 'deleteAttachment',
  summary: 'Delete an upload',
  description: 'Deletes a file that you uploaded and haven’t sent.',
  tags: ['Attachments'],
  security: [{ secretKey: ['messages:write'] }, { secretKey: ['suggestions:write'] }],
  responses: {
    204: { description: 'The upload is deleted.' },
    404: noAttachment,
    409: { description: 'The file is already sent.' },
  },
}
