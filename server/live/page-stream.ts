/** Bytes of an event stream, encoded once for all pages. */
export type Frame = Uint8Array

/** Larger than the most missed events that are sent one by one. */
const MAX_BUFFERED_BYTES = 256 * 1024

const encoder = new TextEncoder()

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Otherwise nginx buffers the events.
  'x-accel-buffering': 'no',
}

/** One event. `number` becomes its id, with which a page resumes. */
export function eventText(event: string, data: object, number?: number): string {
  const id = number === undefined ? '' : `id: ${number}\n`
  return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export function frameOf(text: string): Frame {
  return encoder.encode(text)
}

export interface PageStream {
  readonly body: ReadableStream<Uint8Array>
  isEnded(): boolean
  /** Sends a frame. While the page is too far behind, frames are dropped until it has read its buffer. */
  send(frame: Frame): void
  /** Closes the stream, after an optional last frame. */
  end(lastFrame?: Frame): void
}

/**
 * The event stream of one open page. `catchUp` returns the frames for a page whose frames were dropped. `onEnd` is
 * called once, no matter which side closed the stream.
 */
export function openPageStream(on: { catchUp: () => Frame[]; onEnd: () => void }): PageStream {
  let isEnded = false
  let isDropping = false
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined

  function finish(): void {
    if (isEnded) return
    isEnded = true
    on.onEnd()
  }

  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      stream = controller
    },
    pull(controller) {
      if (!isDropping || isEnded) return
      isDropping = false
      for (const frame of on.catchUp()) controller.enqueue(frame)
    },
    cancel: finish,
  }
  return {
    body: new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 1_024 })),
    isEnded: () => isEnded,
    send(frame) {
      if (isEnded || isDropping || !stream) return
      const bufferedBytes = -(stream.desiredSize ?? 0)
      if (bufferedBytes > MAX_BUFFERED_BYTES) isDropping = true
      else stream.enqueue(frame)
    },
    end(lastFrame) {
      if (isEnded || !stream) return
      if (lastFrame) stream.enqueue(lastFrame)
      stream.close()
      finish()
    },
  }
}
