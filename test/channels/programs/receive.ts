import { startEmail } from '../../../server/channels/email/start-email.ts'
import { receiveUntilKilled } from './until-received.ts'

// Receives mail.
await receiveUntilKilled(startEmail)
