import { readConfig } from '../config.ts'
import { type Demo, makeDemo } from '../demo/demo.ts'
import { startService } from '../service.ts'
import { startMessage, waitForStopSignal } from './serve.ts'

/** Serves the demo organization until a signal to stop, then deletes its data. */
export async function serveDemo(): Promise<void> {
  const stopSignal = waitForStopSignal()
  const demo = await makeDemo(readConfig())
  try {
    const service = await startService(demo.config, { trustsResponses: true })
    process.stdout.write(`${startMessage(service)}${signInMessage(demo, service.url)}`)
    await stopSignal
    await service.stop()
  } finally {
    await demo.remove()
  }
}

function signInMessage({ organization, agents, password, key }: Demo, url: string): string {
  const width = Math.max(...agents.map(({ email }) => email.length))
  const lines = agents.map(
    ({ name, email, role }) =>
      `  ${email.padEnd(width)}  ${name}${role === 'admin' ? ', administrator' : ''}`,
  )
  return `
This is ${organization}, a made-up company. Its data is deleted when the server stops.
Sign in at ${url} with the password ${password} and one of these email addresses:
${lines.join('\n')}

Call the API with a full-access key:
  curl ${url}/v1/tickets -H "Authorization: Bearer ${key}"
`
}
