// "Try it" in the reference: a form for each operation, made when it's opened. What it needs to know of the parameters is
// in the API description, and the body is that of the example beside it.

const KEY_PLACE = 'bellhop.docs.key'
/** Longest part of a response that is shown, in characters. */
const MAX_SHOWN = 200_000

let description
/** The last id of each kind in a response, by its prefix: where a path needs one, it's there already. */
const ids = new Map()

document.addEventListener('DOMContentLoaded', () => {
  for (const languages of document.querySelectorAll('.operation .languages')) {
    const operation = languages.closest('.operation')
    const details = element('details', { className: 'try' }, element('summary', {}, 'Try it'))
    details.addEventListener('toggle', () => open(details, operation))
    languages.parentElement
      .querySelector('[data-language]:nth-last-child(1 of [data-language])')
      .after(details)
  }
})

async function open(details, operation) {
  if (!details.open) return
  const form = details.querySelector('form')
  if (form) return fillIds(form)
  try {
    description ??= fetch('/v1/openapi.json').then((response) => response.json())
    const api = await description
    if (!details.querySelector('form')) details.append(...formFor(operation, api))
  } catch (error) {
    description = undefined
    details.append(element('p', { className: 'note' }, `This couldn’t be loaded. ${error}`))
  }
}

function formFor(operation, api) {
  const { path, method, call } = find(api, operation.id)
  const isReading = method === 'GET'
  const parameters = (call.parameters ?? []).map((parameter) => ({
    ...parameter,
    input: parameterInput(parameter, shapeOf(parameter.schema, api)),
  }))
  const body = call.requestBody && bodyInput(operation)
  const key = keyInput()
  const look = method === 'DELETE' ? 'send danger' : 'send'
  const label = isReading ? 'Send request' : call.summary
  const button = element('button', { type: 'submit', className: look }, label)
  const result = element('div', { className: 'result' })
  const status = element('p', { role: 'status' })
  const form = element(
    'form',
    { autocomplete: 'off' },
    field('Secret key', key),
    element('p', { className: 'note' }, KEY_NOTE),
    ...['path', 'query', 'header'].flatMap((place) => group(place, parameters)),
    ...(body ? [field('Body', body)] : []),
    element('p', { className: 'actions' }, button),
    ...(isReading
      ? []
      : [element('p', { className: 'note' }, 'This changes the data of your organization.')]),
  )
  let running
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (running) return running.abort()
    running = new AbortController()
    button.textContent = 'Stop'
    status.textContent = 'Waiting for the response…'
    result.replaceChildren()
    try {
      await send({ path, method, parameters, body, key: key.value, signal: running.signal }, status, result)
    } catch (error) {
      status.textContent = running.signal.aborted ? 'Stopped.' : `There was no response. ${error.message}`
    }
    running = undefined
    button.textContent = label
  })
  fillIds(form)
  return [form, status, result]
}

const KEY_NOTE =
  'Keep it secret, like a password. It stays in this tab until you close it, and is sent to this server only.'

function find(api, operationId) {
  for (const [path, item] of Object.entries(api.paths))
    for (const [method, call] of Object.entries(item))
      if (call.operationId === operationId) return { path, method: method.toUpperCase(), call }
  throw new Error('The page is older than the server. Reload it.')
}

function shapeOf(schema, api) {
  return api.components.schemas[schema.$ref?.split('/').at(-1)] ?? schema
}

function group(place, parameters) {
  const inputs = parameters.filter((parameter) => parameter.in === place)
  if (inputs.length === 0) return []
  const fields = inputs.map(({ name, input }) => field(name, input))
  if (place === 'path' || fields.length < 4) return fields
  const title = place === 'query' ? 'Query parameters' : 'Headers'
  return [
    element('details', { className: 'more' }, element('summary', { className: 'fold' }, title), ...fields),
  ]
}

function parameterInput({ in: place, required, schema }, shape) {
  const values = shape.enum ?? (shape.type === 'boolean' ? ['true', 'false'] : undefined)
  if (values) {
    const options = ['', ...values].map((value) => element('option', { value }, value || '–'))
    return element('select', { required }, ...options)
  }
  const [example = ''] = schema.examples ?? shape.examples ?? []
  const input = element('input', { required, placeholder: place === 'header' ? '' : String(example) })
  input.spellcheck = false
  const prefix = place === 'path' && /^([a-z]+_)/.exec(String(example))?.[1]
  if (prefix) input.dataset.prefix = prefix
  return input
}

/** The example of the request, as the page shows it for curl; or a file. */
function bodyInput(operation) {
  const example = operation.querySelector('.code[data-language="curl"] code').textContent
  const json = /-d '([\s\S]*)'$/.exec(example)?.[1]
  if (json === undefined) return element('input', { type: 'file', required: true })
  const value = json.replaceAll("'\\''", "'").replaceAll('\n  ', '\n')
  const rows = Math.min(value.split('\n').length + 1, 16)
  return element('textarea', { value, rows, spellcheck: false })
}

/** Shown as dots, but no password field: the browser would offer to save it. All forms have the same key. */
function keyInput() {
  const input = element('input', { className: 'secret', required: true, placeholder: 'bellhop_sk_…' })
  input.spellcheck = false
  input.value = keptKey()
  input.addEventListener('input', () => {
    try {
      sessionStorage.setItem(KEY_PLACE, input.value)
    } catch {
      // It is only not there after a reload.
    }
    for (const other of document.querySelectorAll('.secret')) if (other !== input) other.value = input.value
  })
  return input
}

function keptKey() {
  const other = document.querySelector('.secret')
  if (other) return other.value
  try {
    return sessionStorage.getItem(KEY_PLACE) ?? ''
  } catch {
    return ''
  }
}

async function send({ path, method, parameters, body, key, signal }, status, result) {
  const inPath = new Map(
    parameters.filter((one) => one.in === 'path').map(({ name, input }) => [name, input.value]),
  )
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name).trim()))
  const given = (place) =>
    parameters
      .filter((one) => one.in === place && one.input.value)
      .map(({ name, input }) => [name, input.value])
  const query = new URLSearchParams(given('query'))
  const headers = new Headers(given('header'))
  headers.set('Authorization', `Bearer ${key.trim()}`)
  const isFile = body?.type === 'file'
  if (body) headers.set('Content-Type', isFile ? 'application/octet-stream' : 'application/json')
  const start = performance.now()
  const address = `/v1${filled}${query.size > 0 ? `?${query}` : ''}`
  const content = isFile ? body.files[0] : body?.value
  // Only the key says who calls: someone who is signed in could do more than it.
  const init = {
    method,
    headers,
    body: content,
    signal,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
  }
  const response = await fetch(address, init)
  const blob = await response.blob()
  const took = Math.round(performance.now() - start)
  status.replaceChildren(
    element('span', { className: `status s${String(response.status)[0]}` }, `${response.status}`),
    ` ${response.statusText} · ${took} ms · ${method} ${address}`,
  )
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const shownHeaders = element(
    'details',
    {},
    element('summary', { className: 'fold' }, 'Headers'),
    code(lines.join('\n'), 'Headers'),
  )
  result.replaceChildren(shownHeaders, await bodyOf(response, blob))
}

async function bodyOf(response, blob) {
  if (blob.size === 0) return element('p', { className: 'note' }, 'The response has no body.')
  const type = response.headers.get('content-type') ?? ''
  if (/json/.test(type)) {
    const text = await blob.text()
    const value = JSON.parse(text)
    noteIds(value)
    return code(JSON.stringify(value, null, 2), 'Response body')
  }
  if (/^text\//.test(type)) return code(await blob.text(), 'Response body')
  const link = element('a', { href: URL.createObjectURL(blob), download: '' }, 'Save the file')
  return element('p', { className: 'note' }, `${blob.size.toLocaleString('en')} bytes of ${type}. `, link)
}

/** Of a list, those of its first row. */
function noteIds(value) {
  const first = Array.isArray(value?.data) ? value.data[0] : value
  if (typeof first !== 'object' || first === null) return
  for (const one of Object.values(first).reverse()) {
    const prefix = /^([a-z]+_)[0-9a-z]{20,}$/.exec(String(one))?.[1]
    if (prefix) ids.set(prefix, one)
  }
  for (const form of document.querySelectorAll('.try form')) fillIds(form)
}

function fillIds(form) {
  for (const input of form.querySelectorAll('[data-prefix]'))
    input.value ||= ids.get(input.dataset.prefix) ?? ''
}

function code(text, label) {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text
  const pre = element('pre', { tabIndex: 0, role: 'group', ariaLabel: label }, element('code', {}, cut))
  return element('div', { className: 'code' }, pre)
}

function field(name, input) {
  const mark =
    input.required && name !== 'Secret key' ? [element('span', { className: 'required' }, ' required')] : []
  return element('label', { className: 'input' }, element('span', {}, name, ...mark), input)
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}
