import type { Config } from '../config.ts'
import { startService } from '../service.ts'

/** Starts everything and runs until SIGTERM or SIGINT; a second signal ends it at once. */
export async function serve(config: Config): Promise<void> {
  const service = await startService(config)
  process.stdout.write(`Bellhop is running at ${service.url}\n`)
  await untilAsked()
  await service.stop()
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve()
      })
    }
  })
}
