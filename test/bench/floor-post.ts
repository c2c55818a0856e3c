import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'

// The floor for deliveries: a bare loop of signed posts over kept connections, with no database behind it.
const [url = '', caFile = '', howMany = '0', atOnce = '8'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(atOnce), ca: readFileSync(caFile, 'utf8') })
const body = Buffer.from(
  JSON.stringify({ event: 'message.sent', data: { message: { text: 'x'.repeat(400) } } }),
)
let left = Number(howMany)

function post(): Promise<void> {
  return new Promise((resolve, reject) => {
    const signature = createHmac('sha256', 'whsec_secret').update(body).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'x-service-signature': `sha256=${signature}`,
    }
    const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', resolve)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

process.stdout.write('ready 0\n')
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    while (left > 0) {
      left -= 1
      await post()
    }
  }),
)
process.exit(0)
