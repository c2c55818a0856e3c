import { certificateForLoopback } from './certificate.ts'

/** Where the demo's webhooks go: this machine, so that nothing of a demo leaves it. */
export interface DemoReceiver {
  /** `https://127.0.0.1:<port>` */
  url: string
  /** Its certificate, PEM: what a sender must trust. */
  ca: string
  stop(): Promise<void>
}

/** Takes whatever comes, except for `/crm`, which is the receiver that has trouble. */
export function startDemoReceiver(now: number): DemoReceiver {
  const { cert, key } = certificateForLoopback(now)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { cert, key },
    fetch: ({ url }) =>
      new URL(url).pathname === '/crm'
        ? new Response('The CRM is being maintained.', { status: 503 })
        : Response.json({ received: true }),
  })
  return { url: `https://127.0.0.1:${server.port}`, ca: cert, stop: () => server.stop(true) }
}
