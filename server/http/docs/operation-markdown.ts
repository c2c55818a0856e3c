import type { OpenApiDocument, Operation, Parameter } from '../openapi/document.ts'
import { codeExamples } from './code-examples.ts'
import { exampleOf } from './example.ts'
import {
  allowedWords,
  type Field,
  headerFields,
  limits,
  listFields,
  parameterFields,
  typeWords,
} from './fields.ts'
import { pretty } from './operation.ts'

/** An operation, or an event, of the document as Markdown. */
export interface OperationPage {
  operation: Operation
  /** `GET /v1/tickets`, or the name of an event. */
  call: string
  /** Without the ending. */
  slug: string
  markdown: string
}

/** `/docs/operations/listTickets.md` and so on, in the order of the document, whose schemas are filled in. */
export function operationPages(document: OpenApiDocument, prefix: string): OperationPage[] {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operation,
      call: `${method.toUpperCase()} ${prefix}${path}`,
      slug: operation.operationId,
      markdown: callMarkdown(method, path, prefix, operation),
    })),
  )
  const events = Object.entries(document.webhooks).map(([event, { post }]) => ({
    operation: post,
    call: event,
    slug: post.operationId,
    markdown: eventMarkdown(event, post),
  }))
  return [...calls, ...events]
}

function callMarkdown(method: string, path: string, prefix: string, operation: Operation): string {
  const scope = operation['x-scope']
  const [success] = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
  const body = success?.[1].content?.['application/json']
  return paragraphs([
    `# ${operation.summary ?? operation.operationId}`,
    `\`${method.toUpperCase()} ${prefix}${path}\`${scope === undefined ? '' : ` · needs a key with \`${scope}\``}`,
    operation.description,
    ...parameterList('Path', 'path', operation),
    ...parameterList('Query', 'query', operation),
    ...parameterList('Headers', 'header', operation),
    ...bodyList(operation, 'required'),
    ...answers(operation),
    '## Examples',
    ...codeExamples(method, path, operation).map(({ language, label, code }) =>
      paragraphs([`### ${label}`, fenced(language === 'curl' ? 'sh' : language, code)]),
    ),
    ...(body ? [`### Response`, fenced('json', pretty(exampleOf(body.schema)))] : []),
  ])
}

function eventMarkdown(event: string, operation: Operation): string {
  const body = operation.requestBody?.content['application/json']
  return paragraphs([
    `# ${operation.summary ?? event}`,
    `\`${event}\`: a \`POST\` to your endpoints. [Verify its signature](../webhooks.md#verify-signatures).`,
    operation.description,
    ...parameterList('Headers', 'header', operation, 'present'),
    ...bodyList(operation, 'present'),
    ...(body ? ['## Example', fenced('json', pretty(exampleOf(body.schema)))] : []),
  ])
}

/** Of what the reader sends, the required fields are marked; of what the reader is sent, those that can be absent. */
type Mark = 'required' | 'present'

function parameterList(
  title: string,
  place: Parameter['in'],
  operation: Operation,
  mark: Mark = 'required',
): string[] {
  const fields = parameterFields(operation, place)
  return fields.length === 0 ? [] : [`## ${title}`, fieldList(fields, mark)]
}

function bodyList(operation: Operation, mark: Mark): string[] {
  const body = operation.requestBody?.content['application/json']
  return body === undefined ? [] : ['## Body', fieldList(listFields(body.schema), mark)]
}

function answers({ responses }: Operation): string[] {
  const own = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
  const shared = Object.entries(responses).flatMap(([status, { $ref }]) => ($ref === undefined ? [] : status))
  return [
    '## Responses',
    ...own.map(([status, { description, headers, content }]) => {
      const body = content?.['application/json']
      return paragraphs([
        `**${status}** ${description ?? ''}`,
        fieldList(headerFields(headers ?? {}), 'present'),
        body && fieldList(listFields(body.schema), 'present'),
      ])
    }),
    ...(shared.length > 0 ? [`Also ${shared.join(', ')}: see [Errors](../errors.md).`] : []),
  ]
}

function fieldList(fields: Field[], mark: Mark): string {
  return fields.map((field) => fieldLine(field, mark)).join('\n')
}

function fieldLine({ path, isRequired, schema }: Field, mark: Mark): string {
  const note = mark === 'required' ? isRequired && 'required' : !isRequired && 'can be absent'
  const facts = [typeWords(schema), note, ...limits(schema)].filter(Boolean).join(', ')
  const words = allowedWords(schema).map((word) => `\`${word}\``)
  const said = [schema.description, words.length > 0 && `One of ${words.join(', ')}.`].filter(Boolean)
  return `- \`${path}\` (${facts})${said.length > 0 ? `: ${said.join(' ')}` : ''}`.replaceAll('\n', ' ')
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}

function paragraphs(parts: (string | undefined)[]): string {
  return parts.filter((part) => part).join('\n\n')
}
