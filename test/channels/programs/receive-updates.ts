import { startTelegramReceiving } from '../../../server/channels/telegram/start-telegram.ts'
import { receiveUntilKilled } from './until-received.ts'

// Receives from all bots.
await receiveUntilKilled(startTelegramReceiving)
