import { expect, test } from 'bun:test'
import { createManualClock } from '../support/clock.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

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

test('a server stops while the thread of its deliveries hangs, and they are interrupted in the log', async () => {
  using threads = watchThreads()
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const receiver = await webhooks.receiver(() => 'never')
  await webhooks.endpoint(receiver.url)
  const delivering = webhooks.deliver()
  await webhooks.ticket()
  await receiver.next()
  threads.hangAll()
  let isStopped = false
  void delivering.stop().then(() => {
    isStopped = true
  })
  await eventually(() => {
    clock.advance(1_000)
    return isStopped
  })
  const { id } = await webhooks.newest('pending', 1)
  const { attempts } = await webhooks.read(id)
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['interrupted'])
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
    /** As if their event loops never came to another message. */
    hangAll() {
      for (const thread of started) thread.postMessage = () => {}
    },
    [Symbol.dispose]() {
      globalThis.Worker = Thread
    },
  }
}
