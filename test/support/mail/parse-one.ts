import { createMailParser } from '../../../server/channels/email/parse/parse-mail.ts'
import { systemClock } from '../../../server/clock.ts'

// Reads one mail and prints the result, for the test of the compiled program.
const [path = '', attachmentFolder = ''] = process.argv.slice(2)
const parser = createMailParser({ clock: systemClock })
console.log(JSON.stringify(await parser.parse({ path, attachmentFolder })))
parser.stop()
