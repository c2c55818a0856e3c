import type { Page } from 'playwright-core'

// Times taken inside the page: what an agent sees is a picture, so a time ends behind the frame that shows it.

const SETTLE_MS = 60
/** For the last key's picture. */
const LAST_MS = 500

/** Milliseconds from the next click in the page until something that matches is painted. */
export async function whenPainted(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        let clickedAt = 0
        addEventListener('click', ({ timeStamp }) => (clickedAt = timeStamp), { capture: true, once: true })
        const painted = () => {
          const channel = new MessageChannel()
          channel.port1.onmessage = () => resolve(performance.now() - clickedAt)
          requestAnimationFrame(() => channel.port2.postMessage(0))
        }
        const observer = new MutationObserver(() => {
          if (!clickedAt || !document.querySelector(wanted)) return
          observer.disconnect()
          painted()
        })
        observer.observe(document, { childList: true, subtree: true })
      }),
    selector,
  )
}

/** From now on each key's time until the first picture in which something has changed is kept. */
export async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(window, { keyTimes: times })
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        const channel = new MessageChannel()
        channel.port1.onmessage = () => times.push(performance.now() - timeStamp)
        const observer = new MutationObserver(() => {
          observer.disconnect()
          requestAnimationFrame(() => channel.port2.postMessage(0))
        })
        observer.observe(document, { attributes: true, childList: true, characterData: true, subtree: true })
      },
      { capture: true },
    )
  })
}

/** Presses keys one after another as a quick person would. Answers their times, shortest first. */
export async function answeredKeys(page: Page, keys: string[]): Promise<number[]> {
  const before = await page.evaluate(() => Reflect.get(window, 'keyTimes').length)
  for (const key of keys) {
    await page.keyboard.press(key)
    await Bun.sleep(SETTLE_MS)
  }
  await Bun.sleep(LAST_MS)
  const times: number[] = await page.evaluate((from) => Reflect.get(window, 'keyTimes').slice(from), before)
  if (times.length < keys.length) throw new Error(`${keys.length - times.length} keys changed nothing.`)
  return times.sort((one, other) => one - other)
}

/** How long each frame took while something was done, shortest first. Milliseconds. */
export async function framesWhile(page: Page, work: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = []
    let last = performance.now()
    const next = (now: number) => {
      frames.push(now - last)
      last = now
      Reflect.set(window, 'frameHandle', requestAnimationFrame(next))
    }
    Object.assign(window, { frameTimes: frames })
    requestAnimationFrame(next)
  })
  await work()
  const frames: number[] = await page.evaluate(() => {
    cancelAnimationFrame(Reflect.get(window, 'frameHandle'))
    return Reflect.get(window, 'frameTimes')
  })
  return frames.sort((one, other) => one - other)
}
