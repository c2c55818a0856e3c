import { expect, test } from 'bun:test'
import { openWebhooks } from '../support/webhooks.ts'

test('a delivery whose thread ends is interrupted in the log, and sent again by another thread', async () => {
  using threads = watchThreads()
  await using webhooks = await openWebhooks()
  const receiver = await webhooks.receiver(() => (receiver.requests.length === 1 ? 'never' : {}))
  await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  await webhooks.ticket()
  await receiver.next()
  threads.endAll()
  const { id } = await webhooks.newest('succeeded', 2)
  const { attempts } = await webhooks.read(id)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['interrupted', 'succeeded'])
  expect(receiver.requests.map(({ headers }) => headers['x-service-delivery'])).toEqual([id, id])
  expect(webhooks.logLines.join('\n')).toContain('delivery_thread_failed')
})

/** Threads that are started until the end of the scope. A thread can't be ended from outside the process. */
function watchThreads() {
  const Thread = globalThis.Worker
  const started: Worker[] = []
  globalThis.Worker = class extends Thread {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given)
      started.push(this)
    }
  }
  return {
    endAll() {
      for (const thread of started) thread.terminate()
    },
    [Symbol.dispose]() {
      globalThis.Worker = Thread
    },
  }
}
