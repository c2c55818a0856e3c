import type { Frame } from './sse-frames.ts'

/** More than the longest gap that is told event by event. */
const MOST_WAITING_BYTES = 256 * 1024

export interface PageStream {
  readonly body: ReadableStream<Uint8Array>
  /** Sends; to a page that reads too slowly it sends nothing any more, until that has read what it was sent. */
  send(frame: Frame): void
  /** Closes it, with a last word. */
  end(lastWord?: Frame): void
}

/**
 * What one open page is sent. `catchUp` says what a page gets that was behind and reads again; `onEnd` is called once,
 * whoever ended it.
 */
export function openPageStream(on: { catchUp: () => Frame[]; onEnd: () => void }): PageStream {
  let isEnded = false
  let isBehind = false
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined

  function ended(): void {
    if (isEnded) return
    isEnded = true
    on.onEnd()
  }

  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      stream = controller
    },
    pull(controller) {
      if (!isBehind || isEnded) return
      isBehind = false
      for (const frame of on.catchUp()) controller.enqueue(frame)
    },
    cancel: ended,
  }
  return {
    body: new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 1_024 })),
    send(frame) {
      if (isEnded || isBehind || !stream) return
      const waiting = -(stream.desiredSize ?? 0)
      if (waiting > MOST_WAITING_BYTES) isBehind = true
      else stream.enqueue(frame)
    },
    end(lastWord) {
      if (isEnded || !stream) return
      if (lastWord) stream.enqueue(lastWord)
      stream.close()
      ended()
    },
  }
}
