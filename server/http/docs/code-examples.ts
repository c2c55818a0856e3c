import type { Operation } from '../openapi/document.ts'
import { exampleOf, ownExample } from './example.ts'

interface CodeExample {
  /** As the switch of the page and the blocks of Markdown name it. */
  language: 'curl' | 'typescript' | 'python'
  label: string
  code: string
}

interface Call {
  method: string
  /** After the base address, with the query. */
  path: string
  /** What is sent as JSON. */
  body?: unknown
  isFile: boolean
  answers: 'json' | 'file' | 'nothing'
}

/**
 * The same call in three languages, from the schemas' own examples. In all of them `BELLHOP` is the base address and
 * `BELLHOP_KEY` a key, and nothing has to be installed.
 */
export function codeExamples(method: string, path: string, operation: Operation): CodeExample[] {
  const call = callOf(method, path, operation)
  return [
    { language: 'curl', label: 'curl', code: inCurl(call) },
    { language: 'typescript', label: 'TypeScript', code: inTypeScript(call) },
    { language: 'python', label: 'Python', code: inPython(call) },
  ]
}

function callOf(method: string, path: string, operation: Operation): Call {
  const parameters = operation.parameters ?? []
  const filled = path.replaceAll(/\{(\w+)\}/g, (placeholder, name) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    const value = parameter && ownExample(parameter.schema)
    return typeof value === 'string' ? value : placeholder
  })
  const query = new URLSearchParams()
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'query' && required) query.set(name, String(exampleOf(schema)))
  }
  const body = operation.requestBody?.content['application/json']
  return {
    method: method.toUpperCase(),
    path: `${filled}${query.size > 0 ? `?${query}` : ''}`,
    body: body && exampleOf(body.schema),
    isFile: operation.requestBody !== undefined && body === undefined,
    answers: answerOf(operation),
  }
}

function answerOf({ responses }: Operation): Call['answers'] {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  if (success?.content?.['application/json']) return 'json'
  return success?.content ? 'file' : 'nothing'
}

function inCurl({ method, path, body, isFile, answers }: Call): string {
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} "$BELLHOP${path}"`]
  lines.push('-H "Authorization: Bearer $BELLHOP_KEY"')
  if (body !== undefined) {
    const json = JSON.stringify(body, null, 2)
    lines.push(
      '-H "Content-Type: application/json"',
      `-d '${json.replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`,
    )
  }
  if (isFile) lines.push('-H "Content-Type: application/octet-stream"', '--data-binary @invoice.pdf')
  if (answers === 'file') lines.push('-o file')
  return lines.join(' \\\n  ')
}

/** In TypeScript. */
const BASE = '$' + '{process.env.BELLHOP}'
const BEARER = 'Authorization: `Bearer $' + '{process.env.BELLHOP_KEY}`'

function inTypeScript({ method, path, body, isFile, answers }: Call): string {
  const type = body !== undefined ? 'application/json' : isFile && 'application/octet-stream'
  return [
    ...(isFile ? ["import { readFile } from 'node:fs/promises'", ''] : []),
    `const response = await fetch(\`${BASE}${path}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(type
      ? ['  headers: {', `    ${BEARER},`, `    'Content-Type': '${type}',`, '  },']
      : [`  headers: { ${BEARER} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, TYPESCRIPT, '  ')}),`]),
    ...(isFile ? ["  body: await readFile('invoice.pdf'),"] : []),
    '})',
    {
      json: 'console.log(response.status, await response.json())',
      file: 'console.log(response.status, await response.arrayBuffer())',
      nothing: 'console.log(response.status)',
    }[answers],
  ].join('\n')
}

function inPython({ method, path, body, isFile, answers }: Call): string {
  const type = body !== undefined ? 'application/json' : isFile && 'application/octet-stream'
  const modules = ['os', 'urllib.request']
  if (body !== undefined || answers === 'json') modules.unshift('json')
  return [
    `import ${modules.join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    os.environ["BELLHOP"] + ${JSON.stringify(path)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(type
      ? [
          '    headers={',
          '        "Authorization": "Bearer " + os.environ["BELLHOP_KEY"],',
          `        "Content-Type": "${type}",`,
          '    },',
        ]
      : ['    headers={"Authorization": "Bearer " + os.environ["BELLHOP_KEY"]},']),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(body, PYTHON, '    ')}).encode(),`]),
    ...(isFile ? ['    data=open("invoice.pdf", "rb").read(),'] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    {
      json: '    print(response.status, json.load(response))',
      file: '    print(response.status, len(response.read()))',
      nothing: '    print(response.status)',
    }[answers],
  ].join('\n')
}

interface Syntax {
  indent: string
  key(name: string): string
  string(text: string): string
  words: Record<'true' | 'false' | 'null', string>
}

const TYPESCRIPT: Syntax = {
  indent: '  ',
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : quoteSingle(name)),
  string: quoteSingle,
  words: { true: 'true', false: 'false', null: 'null' },
}
const PYTHON: Syntax = {
  indent: '    ',
  key: (name) => JSON.stringify(name),
  string: (text) => JSON.stringify(text),
  words: { true: 'True', false: 'False', null: 'None' },
}

/** A value of JSON as a language writes it. */
function literal(value: unknown, syntax: Syntax, before: string): string {
  if (typeof value === 'string') return syntax.string(value)
  if (value === null || typeof value === 'boolean') return syntax.words[`${value}`]
  if (typeof value !== 'object') return String(value)
  const isList = Array.isArray(value)
  const inside = before + syntax.indent
  const parts = Object.entries(value).map(([name, inner]) => {
    const text = literal(inner, syntax, inside)
    return isList ? text : `${syntax.key(name)}: ${text}`
  })
  const [open, close] = isList ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  const line = `${open}${parts.join(', ')}${close}`
  if (isList && line.length < 60 && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inside}${part},\n`).join('')}${before}${close}`
}

function quoteSingle(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
