import type { FrozenTelegram, TelegramPart } from '../../../database/tables/bots.ts'
import type { FrozenFile } from '../../../database/tables/sends.ts'
import type { BotApi, UploadedFile } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'

/** A request to Telegram that is part of a send. */
export interface SendStep {
  /** How many messages count toward Telegram's limits. */
  messages: number
  /** Whether repeating the request does no harm. Edits and deletions can be repeated. */
  isRepeatable: boolean
  /** Resolves with Telegram's ids of the part, or undefined for what adds none. Rejects with `BotApiError`. */
  call(signal: AbortSignal): Promise<number[] | undefined>
}

interface StepContext {
  api: BotApi
  token: string
  /** The files are in the data folder. */
  open(hash: string): AsyncIterable<Uint8Array>
}

/** The remaining steps of a send, in order. */
export function stepsOf(context: StepContext, content: FrozenTelegram): SendStep[] {
  const { chatId, action, parts, done, targets = [], removed = [] } = content
  const deletions = removed.map((id) => deletionStep(context, chatId, id))
  switch (action) {
    case 'send':
      return parts.slice(done.length).map((part) => sendStep(context, chatId, part))
    case 'edit': {
      const edits = parts.map((part, at) => editStep(context, chatId, { part, target: targets[at] ?? [] }))
      return [...edits.slice(done.length), ...deletions]
    }
    case 'delete':
      return deletions
  }
}

function sendStep(context: StepContext, chatId: string, part: TelegramPart): SendStep {
  const { api, token } = context
  if (part.kind === 'files') return filesStep(context, chatId, part)
  const { text, entities } = part
  return {
    messages: 1,
    isRepeatable: false,
    call: async (signal) => {
      const sent = await api.call(token, 'sendMessage', { chat_id: chatId, text, entities }, { signal })
      return [sent.message_id]
    },
  }
}

/** Photos that Telegram can't show, such as a very wide one, are sent as files. */
function filesStep(context: StepContext, chatId: string, part: TelegramPart & { kind: 'files' }): SendStep {
  return {
    messages: part.files.length,
    isRepeatable: false,
    call: (signal) => {
      const send = (arePhotos: boolean) => sendFiles(context, chatId, { ...part, arePhotos }, signal)
      if (!part.arePhotos) return send(false)
      return send(true).catch((error) => {
        if (!isRefusal(error, /photo|image/i)) throw error
        return send(false)
      })
    },
  }
}

/** A group of at least two is an album. */
async function sendFiles(
  context: StepContext,
  chatId: string,
  { files, arePhotos, text, entities }: TelegramPart & { kind: 'files' },
  signal: AbortSignal,
): Promise<number[]> {
  const { api, token } = context
  const uploads = files.map((file, at) => uploadOf(context, file, at))
  const caption = text === '' ? {} : { caption: text, caption_entities: entities }
  const [first = ''] = uploads.map(({ field }) => `attach://${field}`)
  const options = { signal, files: uploads }
  if (files.length > 1) {
    const each = uploads.map(({ field }, at) => ({ media: `attach://${field}`, ...(at === 0 && caption) }))
    const media = arePhotos
      ? each.map((one) => ({ type: 'photo' as const, ...one }))
      : each.map((one) => ({ type: 'document' as const, ...one }))
    const sent = await api.call(token, 'sendMediaGroup', { chat_id: chatId, media }, options)
    return sent.map(({ message_id: id }) => id)
  }
  const sent = arePhotos
    ? await api.call(token, 'sendPhoto', { chat_id: chatId, photo: first, ...caption }, options)
    : await api.call(token, 'sendDocument', { chat_id: chatId, document: first, ...caption }, options)
  return [sent.message_id]
}

function uploadOf({ open }: StepContext, { hash, name, type, size }: FrozenFile, at: number): UploadedFile {
  return { field: `file${at}`, name, type, size, open: () => open(hash) }
}

function editStep(
  { api, token }: StepContext,
  chatId: string,
  { part, target }: { part: TelegramPart; target: number[] },
): SendStep {
  const { text, entities } = part
  const [first] = target
  return {
    messages: 1,
    isRepeatable: true,
    call: async (signal) => {
      if (first === undefined) return target
      const of = { chat_id: chatId, message_id: first }
      const call =
        part.kind === 'text'
          ? api.call(token, 'editMessageText', { ...of, text, entities }, { signal })
          : api.call(
              token,
              'editMessageCaption',
              { ...of, caption: text, caption_entities: entities },
              { signal },
            )
      await call.catch((error) => ignore(error, /not modified/i))
      return target
    },
  }
}

function deletionStep({ api, token }: StepContext, chatId: string, id: number): SendStep {
  return {
    messages: 0,
    isRepeatable: true,
    call: async (signal) => {
      const call = api.call(token, 'deleteMessage', { chat_id: chatId, message_id: id }, { signal })
      // The customer can have deleted it.
      await call.catch((error) => ignore(error, /to delete not found/i))
      return undefined
    },
  }
}

function ignore(error: unknown, words: RegExp): void {
  if (!isRefusal(error, words)) throw error
}

function isRefusal(error: unknown, words: RegExp): boolean {
  return error instanceof BotApiError && error.code === 400 && words.test(error.description)
}
