import { expect } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Deps } from '../../server/deps.ts'
import type { SignedInAgent } from './agents.ts'
import type { Answer, Client } from './bellhop.ts'

export interface AttachmentJson {
  id: string
  name: string
  type: string
  size: number
  width?: number
  height?: number
  isInline?: true
}

type Uploader = Client | SignedInAgent

/** Uploads a file as a key or as a page does, and returns the answer. */
export function tryUpload(
  by: Uploader,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<Answer<AttachmentJson>> {
  const path = `/attachments?name=${encodeURIComponent(name)}`
  const more = { raw: content, headers: { 'content-type': 'application/octet-stream' } }
  return 'key' in by ? by.call('POST', path, more) : by.call('POST', `/v1${path}`, more)
}

export async function upload(
  by: Uploader,
  name = 'note.txt',
  content: string | Uint8Array<ArrayBuffer> = 'A file',
): Promise<AttachmentJson> {
  const answer = await tryUpload(by, name, content)
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

/** Reads a file as a browser does. */
export async function download(
  by: { key: string } | { cookie: string },
  url: string,
  { id, headers = {} }: { id: string; headers?: Record<string, string> },
): Promise<Response> {
  const sent = new Headers(headers)
  if ('key' in by) sent.set('authorization', `Bearer ${by.key}`)
  else sent.set('cookie', by.cookie)
  return fetch(`${url}/v1/attachments/${id}`, { headers: sent })
}

/** Where the bytes of a file are. */
export function storedPath(deps: Deps, content: string | Uint8Array): string {
  const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  return join(deps.config.dataFolder, 'attachments', hash.slice(0, 2), hash)
}

/** Every file in the store, unfinished ones included. */
export function storedFiles(deps: Deps): string[] {
  const root = join(deps.config.dataFolder, 'attachments')
  if (!existsSync(root)) return []
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
}
