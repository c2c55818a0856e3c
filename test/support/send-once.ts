import { systemClock } from '../../server/clock.ts'
import { createLog } from '../../server/log.ts'
import { createAddressPolicy } from '../../server/network/address-policy.ts'
import { createSender } from '../../server/webhooks/deliveries/send.ts'

// A process of its own, for what a process reads from its environment: `bun send-once.ts <url> <ca file>`.
const [url = '', caFile = ''] = process.argv.slice(2)
const sender = createSender({
  clock: systemClock,
  log: createLog('error', false, () => {}, Date.now),
  policy: createAddressPolicy(['127.0.0.1']),
  timeoutMs: 5_000,
  ca: await Bun.file(caFile).text(),
  resolve: async () => ['127.0.0.1'],
})
const result = await sender.send({ endpointId: 'whe_1', url, headers: {}, body: new Uint8Array(0) }, 1)
await sender.close()
console.log(result === 'unsent' ? result : result.outcome)
