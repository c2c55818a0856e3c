import type { Operation, Parameter, Response } from '../openapi/document.ts'
import { codeExamples } from './code-examples.ts'
import { exampleOf } from './example.ts'
import { headerFields, listFields, parameterFields, renderInput, renderOutput } from './fields.ts'
import { codeExample, type Html, html, inlineProse, prose } from './html.ts'

/** One API call: description and fields on the left, request and response on the right. */
export function renderOperation(method: string, path: string, operation: Operation): Html {
  const [success] = Object.entries(operation.responses)
  const body = success?.[1].content?.['application/json']
  return html`<section class="operation" id="${operation.operationId}">
<div class="words">
${renderHead(method, path, operation)}
${renderScopes(operation)}
${renderParameters('Path', 'path', operation)}
${renderParameters('Query', 'query', operation)}
${renderParameters('Headers', 'header', operation)}
${renderBody(operation, renderInput)}
${renderAnswers('Responses', operation)}
</div>
<div class="examples">
<p class="caption">Request</p>
<div class="languages" role="group" aria-label="Language of the examples"></div>
${codeExamples(method, path, operation).map(({ language, label, code }) => codeExample(code, `Example request in ${label}`, language))}
${
  success &&
  body &&
  html`<p class="caption">Response <span>${success[0]}</span></p>
${codeExample(pretty(exampleOf(body.schema)), 'Example response')}`
}
</div>
</section>`
}

/** One event: the request to the receiver, and the meaning of its response. */
export function renderWebhook(event: string, operation: Operation): Html {
  const body = operation.requestBody?.content['application/json']
  return html`<section class="operation" id="${operation.operationId}">
<div class="words">
${renderHead('post', event, operation)}
${renderParameters('Headers', 'header', operation, renderOutput)}
${renderBody(operation, renderOutput)}
${renderAnswers('Your response', operation)}
</div>
<div class="examples">
<p class="caption">Body</p>
${body && codeExample(pretty(exampleOf(body.schema)), 'Example body')}
</div>
</section>`
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

function renderHead(method: string, path: string, operation: Operation): Html {
  return html`<h3><a href="#${operation.operationId}">${operation.summary ?? operation.operationId}</a></h3>
<p class="call"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
${prose(operation.description)}`
}

function renderScopes(operation: Operation): Html | false {
  const scopes = [...new Set(operation.security?.flatMap((requirement) => Object.values(requirement).flat()))]
  return (
    scopes.length > 0 &&
    html`<p class="scopes">Needs a key with ${scopes.map((scope) => html`<code>${scope}</code> `)}</p>`
  )
}

function renderParameters(
  title: string,
  place: Parameter['in'],
  operation: Operation,
  render = renderInput,
): Html | false {
  const fields = parameterFields(operation, place)
  return fields.length > 0 && html`<h4>${title}</h4>${render(fields)}`
}

function renderBody(operation: Operation, render: typeof renderInput): Html | false {
  const body = operation.requestBody?.content['application/json']
  return body !== undefined && html`<h4>Body</h4>${render(listFields(body.schema))}`
}

/** The responses specific to this call. Problems common to all calls are described once, under Errors. */
function renderAnswers(title: string, operation: Operation): Html {
  const answers = Object.entries(operation.responses)
  const shared = answers.filter(([, response]) => response.$ref !== undefined)
  return html`<h4>${title}</h4>
${answers.filter(([, response]) => response.$ref === undefined).map(([status, response]) => renderAnswer(status, response))}
${shared.length > 0 && html`<p class="shared">Also ${shared.map(([status]) => html`<span class="status s${status.charAt(0)}">${status}</span> `)}. See <a href="#errors">Errors</a>.</p>`}`
}

function renderAnswer(status: string, response: Response): Html {
  const { description, headers, content } = response
  const own = headerFields(headers ?? {})
  const body = content?.['application/json']
  const line = html`<span class="status s${status.charAt(0)}">${status}</span> ${inlineProse(description)}`
  if (!body && own.length === 0) return html`<p class="answer">${line}</p>`
  return html`<details class="answer"><summary>${line}</summary>
${own.length > 0 && html`<h5>Headers</h5>${renderOutput(own)}`}
${body && html`<h5>Body</h5>${renderOutput(listFields(body.schema))}`}
</details>`
}
