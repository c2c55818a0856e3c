import type { MessageEntity } from '@grammyjs/types'
import { demoFile } from './demo-files.ts'
import type { TelegramServer, TelegramUser } from './telegram/telegram-server.ts'
import type { TelegramBot } from './telegram/telegram-state.ts'

export const BOT = { name: 'Parcelbird in Telegram', username: 'parcelbird_support_bot' }
export const GREETING =
  'Hello! This is Parcelbird. Tell us what you need, and we answer right here, Monday to Friday from 7 a.m. to 7 p.m.'

/** What Marko writes to the bot when the demo starts: it arrives as it would from Telegram. */
export function writeChat(telegram: TelegramServer, bot: TelegramBot): void {
  const marko = telegram.addUser({
    first_name: 'Marko',
    last_name: 'Babić',
    username: 'marko_babic',
    language_code: 'hr',
  })
  marko.presses(bot)
  const entities: MessageEntity[] = [{ type: 'bold', offset: 56, length: 11 }]
  const text = 'Hi! The courier left this parcel at our door today. The vase inside is brokn.'
  const first = marko.writes(bot, text, { entities })
  sendPhotos(telegram, marko, bot)
  marko.edits(bot, first.message_id, { text: text.replace('brokn', 'broken'), entities })
  const memo = telegram.addFile(demoFile('memo.wav'), { name: 'memo.wav', type: 'audio/wav' })
  marko.sends(bot, {
    audio: {
      file_id: memo.id,
      file_unique_id: 'memo',
      duration: 3,
      file_name: 'memo.wav',
      mime_type: 'audio/wav',
      file_size: memo.bytes.length,
    },
  })
  marko.writes(bot, 'The driver wrote this to me', {
    forward_origin: { type: 'hidden_user', sender_user_name: 'Courier 14', date: first.date },
    reply_to_message: { ...first, reply_to_message: undefined },
  })
}

function sendPhotos(telegram: TelegramServer, user: TelegramUser, bot: TelegramBot): void {
  for (const [index, name] of (['crushed-box.png', 'label.png'] as const).entries()) {
    const { id, bytes } = telegram.addFile(demoFile(name), { name, type: 'image/png' })
    const size = { width: 360, height: 240, file_size: bytes.length }
    user.sends(bot, {
      media_group_id: 'parcel',
      photo: [{ file_id: id, file_unique_id: name, ...size }],
      ...(index === 0 && { caption: 'The box and its label' }),
    })
  }
}
