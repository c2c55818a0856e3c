import { readConfig } from '../config.ts'
import { type Demo, makeDemo } from '../demo/demo.ts'
import { startService } from '../service.ts'
import { runningAt, untilAsked } from './serve.ts'

/** Serves a made-up support desk until a signal, and leaves nothing behind. */
export async function serveDemo(): Promise<void> {
  const asked = untilAsked()
  const demo = await makeDemo(readConfig())
  try {
    const service = await startService(demo.config)
    process.stdout.write(`${runningAt(service)}${howToSignIn(demo, service.url)}`)
    await asked
    await service.stop()
  } finally {
    await demo.remove()
  }
}

function howToSignIn({ organization, agents, password, key }: Demo, url: string): string {
  const width = Math.max(...agents.map(({ email }) => email.length))
  const lines = agents.map(
    ({ name, email, role }) =>
      `  ${email.padEnd(width)}  ${name}${role === 'admin' ? ', administrator' : ''}`,
  )
  return `
This is ${organization}, a made-up company. Everything in it is removed when the server stops.
Sign in at ${url} as one of these, all with the password ${password}
${lines.join('\n')}

The API, with a key of full access:
  curl ${url}/v1/tickets -H "Authorization: Bearer ${key}"
`
}
