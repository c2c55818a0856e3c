/**
 * `hang`: no answer. `cut`: the connection ends before the request is read. `answer lost`: the request is done, then the
 * connection ends. `short`: a download ends early. An object is Telegram's own answer.
 */
export type Fault =
  | 'hang'
  | 'cut'
  | 'answer lost'
  | 'short'
  | { code: number; description?: string; retryAfter?: number }

export interface FaultOptions {
  /** All methods without one; `download` for files. */
  method?: string
  /** Only requests that name this chat. */
  chatId?: number
  /** Only requests of this bot, by its token. */
  token?: string
  /** Every time without a number. */
  times?: number
}

interface Request {
  method: string
  token: string
  chatId?: number | undefined
}

/** The faults to simulate. */
export class Faults {
  #planned: { fault: Fault; options: FaultOptions; count: number }[] = []

  add(fault: Fault, options: FaultOptions): { count(): number; end(): void } {
    const planned = { fault, options, count: 0 }
    this.#planned.push(planned)
    return {
      count: () => planned.count,
      end: () => {
        this.#planned = this.#planned.filter((one) => one !== planned)
      },
    }
  }

  /** The fault of a request, which counts. */
  take({ method, token, chatId }: Request): Fault | undefined {
    const found = this.#planned.find(
      ({ options, count }) =>
        (options.method === undefined || options.method.toLowerCase() === method.toLowerCase()) &&
        (options.chatId === undefined || options.chatId === chatId) &&
        (options.token === undefined || options.token === token) &&
        count < (options.times ?? Number.POSITIVE_INFINITY),
    )
    if (!found) return undefined
    found.count += 1
    return found.fault
  }
}
