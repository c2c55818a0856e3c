import type { OpenApiDocument, Operation } from '../openapi/document.ts'
import { PROBLEM_TYPE } from '../openapi/responses.ts'
import type { Schema } from '../openapi/schemas.ts'
import { exampleOf } from './example.ts'
import { headerFields, listFields, renderOutput } from './fields.ts'
import { codeExample, type Html, html, inlineProse, prose } from './html.ts'
import { REFERENCE_PATH, renderLayout, type Section } from './layout.ts'
import { pretty, renderOperation, renderWebhook } from './operation.ts'

interface Entry {
  operation: Operation
  content: Html
}

interface Group {
  id: string
  name: string
  description: string
  entries: Entry[]
}

/** Every call, error and webhook on one page. */
export function renderReference(published: OpenApiDocument, documentPath: string): string {
  const document = withSchemas(published, published.components.schemas)
  const groups = groupOperations(document)
  return renderLayout({
    path: REFERENCE_PATH,
    title: `${document.info.title} API reference`,
    sections: [
      { id: 'authentication', title: 'Authentication' },
      { id: 'errors', title: 'Errors' },
      ...groups.map(({ id, name, entries }) => ({ id, title: name, sections: entries.map(sectionOf) })),
    ],
    content: html`${renderIntroduction(document, documentPath)}
${renderProblems(document)}
${groups.map(renderGroup)}`,
  })
}

/** A part of a document, with the schemas that it refers to filled in. None of them contains itself. */
export function withSchemas<Part>(part: Part, schemas: Record<string, Schema>): Part {
  return JSON.parse(JSON.stringify(part), (_, value) => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(value?.$ref)?.[1]
    if (name === undefined) return value
    const { $ref, ...own } = value
    return { ...withSchemas(schemas[name], schemas), ...own }
  })
}

function groupOperations(document: OpenApiDocument): Group[] {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operation,
      content: renderOperation(method, path, operation),
    })),
  )
  const hooks = Object.entries(document.webhooks).map(([event, { post }]) => ({
    operation: post,
    content: renderWebhook(event, post),
  }))
  const entries = [...calls, ...hooks]
  const named = new Set([...document.tags.map((tag) => tag.name), ...entries.map(tagOf)])
  return [...named]
    .map((name) => ({
      id: `group-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
      name,
      description: document.tags.find((tag) => tag.name === name)?.description ?? '',
      entries: entries.filter((entry) => tagOf(entry) === name),
    }))
    .filter((group) => group.entries.length > 0)
}

function tagOf({ operation }: Entry): string {
  return operation.tags?.[0] ?? 'Other'
}

function sectionOf({ operation }: Entry): Section {
  return { id: operation.operationId, title: operation.summary ?? operation.operationId }
}

function renderIntroduction(document: OpenApiDocument, documentPath: string): Html {
  const { info, servers, components } = document
  const headers = headerFields(components.headers)
  return html`<header class="lead">
<h1>${info.title} API <small>${info.version}</small></h1>
${prose(info.description)}
<p><a href="${documentPath}">OpenAPI ${document.openapi} document</a></p>
</header>
<section class="operation" id="authentication">
<div class="words">
<h2>Authentication</h2>
${Object.values(components.securitySchemes).map((scheme) => prose(scheme.description))}
${headers.length > 0 && html`<h3 class="minor">Response headers</h3>${renderOutput(headers)}`}
</div>
<div class="examples"><p class="caption">The examples below use</p>
${codeExample(`export BELLHOP=${servers[0]?.url}\nexport BELLHOP_KEY=<your secret key>`, 'Shell variables')}</div>
</section>`
}

function renderGroup(group: Group): Html {
  return html`<section id="${group.id}">
<h2>${group.name}</h2>
<div class="lead">${prose(group.description)}</div>
${group.entries.map((entry) => entry.content)}
</section>`
}

function renderProblems(document: OpenApiDocument): Html {
  const problems = Object.entries(document.components.responses)
  const body = problems[0]?.[1].content?.[PROBLEM_TYPE]
  return html`<section class="operation" id="errors">
<div class="words">
<h2>Errors</h2>
<p>Every error is a problem document (RFC 9457, <code>${PROBLEM_TYPE}</code>). Any request can get these. <a href="/docs/errors">All error codes</a></p>
${problems.map(([name, { description }]) => {
  const status = name.slice(-3)
  return html`<p class="answer"><span class="status s${status.charAt(0)}">${status}</span> ${inlineProse(description)}</p>`
})}
${body && html`<h3 class="minor">Body</h3>${renderOutput(listFields(body.schema))}`}
</div>
<div class="examples">${
    body &&
    html`<p class="caption">Problem</p>
${codeExample(pretty(exampleOf(body.schema)), 'Example problem')}`
  }</div>
</section>`
}
