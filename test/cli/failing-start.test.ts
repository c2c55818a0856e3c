import { expect, test } from 'bun:test'
import { readConfig } from '../../server/config.ts'
import { startService } from '../../server/service.ts'
import { freshPlace } from '../support/engine.ts'
import { reservePort } from '../support/mail/ports.ts'

test('a start that fails late releases the port and the data folder', async () => {
  const place = await freshPlace()
  const config = readConfig({ ...place, PORT: String(reservePort()) })
  // readConfig would reject this value. The delivery loop fails on it.
  const failed = startService({ ...config, webhookAllow: ['10.0.0.0/99'] })
  expect(await failed.catch((reason) => reason)).toMatchObject({ message: expect.stringContaining('/99') })
  const service = await startService(config)
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
  await service.stop()
})
