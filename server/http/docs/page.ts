import { PROBLEM_TYPE } from '../openapi/answers.ts'
import type { OpenApiDocument, Operation } from '../openapi/document.ts'
import { exampleOf } from './example.ts'
import { headerFields, listFields, renderOutput } from './fields.ts'
import { type Html, html, inlineProse, prose } from './html.ts'
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

/** The whole reference as one page that needs no script and nothing from anywhere but `stylePath`. */
export function renderPage(document: OpenApiDocument, documentPath: string, stylePath: string): string {
  const groups = groupOperations(document)
  const { title } = document.info
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API</title>
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
${renderNavigation(title, groups)}
<main id="content">
${renderIntroduction(document, documentPath)}
${renderProblems(document)}
${groups.map(renderGroup)}
</main>
</body>
</html>
`.text
}

function groupOperations(document: OpenApiDocument): Group[] {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operation,
      content: renderOperation(method, path, operation, document),
    })),
  )
  const hooks = Object.entries(document.webhooks).map(([event, { post }]) => ({
    operation: post,
    content: renderWebhook(event, post, document),
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

function renderNavigation(title: string, groups: Group[]): Html {
  return html`<nav aria-label="Reference">
<p class="brand"><a href="#content">${title} <span>API</span></a></p>
<ul>
<li><a href="#authentication">Authentication</a></li>
<li><a href="#errors">Errors</a></li>
</ul>
${groups.map(
  (group) => html`<p class="group"><a href="#${group.id}">${group.name}</a></p>
<ul>${group.entries.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a></li>`)}</ul>`,
)}
</nav>`
}

function renderIntroduction(document: OpenApiDocument, documentPath: string): Html {
  const { info, servers, components } = document
  const address = servers[0]?.url ?? ''
  const base = address.startsWith('/') ? `https://your-address${address}` : address
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
${headers.length > 0 && html`<h3 class="minor">Headers of every answer</h3>${renderOutput(headers, document)}`}
</div>
<div class="examples"><p class="caption">The examples below use</p>
<pre tabindex="0" aria-label="Shell variables"><code>export BELLHOP=${base}
export BELLHOP_KEY=&lt;your secret key&gt;</code></pre></div>
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
<p>Every error is a problem document (RFC 9457, <code>${PROBLEM_TYPE}</code>). Any call can meet these:</p>
${problems.map(([name, { description }]) => {
  const status = name.slice(-3)
  return html`<p class="answer"><span class="status s${status.charAt(0)}">${status}</span> ${inlineProse(description)}</p>`
})}
${body && html`<h3 class="minor">Body</h3>${renderOutput(listFields(body.schema, document), document)}`}
</div>
<div class="examples">${
    body &&
    html`<p class="caption">Problem</p>
<pre tabindex="0" aria-label="Example problem"><code>${pretty(exampleOf(body.schema, document))}</code></pre>`
  }</div>
</section>`
}
