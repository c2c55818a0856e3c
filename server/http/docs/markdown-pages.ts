import type { OpenApiDocument } from '../openapi/document.ts'
import { GUIDES_BY_GROUP, type Guide } from './guides.ts'
import { type OperationPage, operationPages } from './operation-markdown.ts'
import { withSchemas } from './reference.ts'

/** The reference as Markdown: one page of all operations, and one for each by its id. */
export interface ReferenceMarkdown {
  /** https://llmstxt.org: a line for every page of the documentation. */
  index: string
  reference: string
  operations: Map<string, string>
}

/** `origin` is where the documentation is, `prefix` where the API is. */
export async function renderReferenceMarkdown(
  published: OpenApiDocument,
  { origin, prefix }: { origin: string; prefix: string },
): Promise<ReferenceMarkdown> {
  const document = withSchemas(published, published.components.schemas)
  const pages = operationPages(document, prefix)
  return {
    index: await renderIndex(document, pages, `${origin}/docs`),
    reference: toMarkdownPages(renderReference(document, pages)),
    operations: new Map(pages.map(({ slug, markdown }) => [slug, toMarkdownPages(`${markdown}\n`)])),
  }
}

/** A guide as it was written. Its links lead to the other pages as Markdown. */
export async function guideMarkdown(guide: Guide): Promise<string> {
  const { default: markdown } = await guide.load()
  return toMarkdownPages(markdown)
}

async function renderIndex({ info }: OpenApiDocument, pages: OperationPage[], docs: string): Promise<string> {
  const groups = Object.entries(GUIDES_BY_GROUP).map(async ([group, guides]) => {
    const lines = guides.map(async (guide) => {
      const summary = firstSentence((await guide.load()).default)
      return `- [${guide.title}](${docs}/${guide.slug}.md): ${summary}`
    })
    return `## ${group}\n\n${(await Promise.all(lines)).join('\n')}`
  })
  return `# ${info.title}

> A self-hosted support desk in one program: an inbox for agents, email, website chat, Telegram, and this HTTP API.

The pages are Markdown. The address of a guide without \`.md\` is a page for people; operations are on one page, /docs. The API as an OpenAPI document: ${docs.replace(/docs$/, 'v1/openapi.json')}

${(await Promise.all(groups)).join('\n\n')}

## API reference

- [All operations](${docs}.md): Authentication, errors, and a list of the operations.
${pages.map((page) => operationLine(page, `${docs}/operations`)).join('\n')}
`
}

function renderReference({ info, servers, components }: OpenApiDocument, pages: OperationPage[]): string {
  const tags = [...new Set(pages.map(tagOf))]
  const groups = tags.map((tag) => {
    const lines = pages.filter((page) => tagOf(page) === tag)
    return `## ${tag}\n\n${lines.map((page) => operationLine(page, '/docs/operations')).join('\n')}`
  })
  const problems = Object.entries(components.responses).map(
    ([name, { description }]) => `- **${name.slice(-3)}** ${description}`,
  )
  return `# ${info.title} API ${info.version}

${info.description}

The base address is \`${servers[0]?.url}\`.

## Authentication

${Object.values(components.securitySchemes)
  .map(({ description }) => description)
  .join('\n\n')}

## Errors

Every error is a problem document (RFC 9457). Any request can get these. [All error codes](/docs/errors)

${problems.join('\n')}

${groups.join('\n\n')}
`
}

function operationLine({ operation, call, slug }: OperationPage, folder: string): string {
  const summary = operation.summary ?? slug
  return `- [${summary}](${folder}/${slug}.md): \`${call}\`. ${firstSentence(operation.description ?? '')}`
}

function tagOf({ operation }: OperationPage): string {
  return operation.tags?.[0] ?? 'Other'
}

/** Of the first paragraph after the headings, as plain text. */
function firstSentence(markdown: string): string {
  const paragraph = markdown.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? ''
  const text = paragraph.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  return /^.*?[.!](?= |$)/.exec(text)?.[0] ?? text
}

/** Links to pages of the documentation, as links to the same pages as Markdown. */
function toMarkdownPages(markdown: string): string {
  return markdown
    .replaceAll(/\]\(\/docs\/([a-z-]+)(?=[)#])/g, '](/docs/$1.md')
    .replaceAll(/\]\(\/docs#(?:group-[\w-]+|errors|authentication)\)/g, '](/docs.md)')
    .replaceAll(/\]\(\/docs#(\w+)\)/g, '](/docs/operations/$1.md)')
    .replaceAll('](/docs)', '](/docs.md)')
}
