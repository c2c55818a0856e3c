import { expect, test } from 'bun:test'
import { readConfig } from '../../server/config.ts'
import { startService } from '../../server/service.ts'
import { freshPlace } from '../support/engine.ts'
import { openWebhooks } from '../support/webhooks.ts'

test('the server does not start with another key than the one that encrypted the stored secrets', async () => {
  const place = await freshPlace()
  const known = { ...place, BELLHOP_SECRET: 'the key that was used first' }
  {
    await using webhooks = await openWebhooks({ place: known })
    await webhooks.endpoint('https://example.com/hook')
  }
  const start = (settings: Record<string, string>) => startService(readConfig({ PORT: '0', ...settings }))
  await expect(start({ ...place, BELLHOP_SECRET: 'a key that came later' })).rejects.toThrow(
    /encrypted with another key/,
  )
  const right = await start(known)
  expect((await fetch(`${right.url}/health/ready`)).status).toBe(200)
  await right.stop()
})
